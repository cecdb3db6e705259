/** What an agent is told: plain text, code in backticks; what is very long is folded. */
import { Fold } from './fold.tsx'
import { MessageText } from './message-text.tsx'

/** The words. */
export function BriefText({ text }: { readonly text: string }) {
  return (
    <Fold heightMax={260}>
      <div className="inline-pre">{text === '' ? 'None.' : <MessageText text={text} />}</div>
    </Fold>
  )
}
