/**
 * Servers that template files in a workspace's definitions name (`upstream_servers`). They are
 * offered to the gateway like those of `gateway.json`: nothing is started before a person has
 * accepted it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type UpstreamServer, upstreamServersOf } from '../core/dialects/definition-wrapper.ts'
import { isDefinitionName, listFiles } from '../runtime/definitions/list-files.ts'
import { readWorkspaceText } from '../runtime/definitions/read-definition.ts'
import { PawlError } from '../runtime/pawl-error.ts'

/** Files of a workspace that are looked into. */
const filesMax = 500

export type TemplateFile = { readonly path: string; readonly servers: readonly UpstreamServer[] }

/** The template files of a workspace that name servers. */
export function readTemplates(workspace: string): readonly TemplateFile[] {
  const folder = join(workspace, '.pawl', 'definitions')
  if (!existsSync(folder)) return []
  return listFiles(folder, { depth: 'flat', isWanted: isDefinitionName })
    .slice(0, filesMax)
    .map((path) => ({ path, servers: serversIn(path, workspace) }))
    .filter(({ servers }) => servers.length > 0)
}

function serversIn(path: string, workspace: string): readonly UpstreamServer[] {
  try {
    return upstreamServersOf(readWorkspaceText(path, workspace))
  } catch (fault) {
    // A file that cannot be read names nothing; `pawl check` says why.
    if (fault instanceof PawlError) return []
    throw fault
  }
}
