/**
 * Adds the name that was probably meant to the answer that a definition is unknown.
 */
import { closestName } from '../../../core/closest-name.ts'
import { PawlProblem } from '../../api/problem.ts'
import type { RemoteContext } from './remote-verb.ts'

const namesMax = 500

/** Makes a request about a definition; where it is unknown, the problem suggests another name. */
export async function suggestDefinition<Answer>(
  name: string,
  { remote }: Pick<RemoteContext, 'remote'>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask()
  } catch (thrown) {
    const isUnknown = thrown instanceof PawlProblem && thrown.code === 'DEFINITION_UNKNOWN'
    if (!isUnknown) throw thrown
    const stored = remote.call('definitions.list', { limit: namesMax })
    // The list only helps with a suggestion; without it, the first problem is the answer.
    const { items } = await stored.catch(() => ({ items: [] }))
    const near = closestName(
      name,
      items.map((one) => one.name),
    )
    if (near === null) throw thrown
    throw new PawlProblem({ ...thrown.problem, hint: `did you mean \`${near}\`?` })
  }
}
