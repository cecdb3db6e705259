/** A message of Pawl: text in backticks is shown as code; no other markup. */

/** The words. */
export function MessageText({ text }: { readonly text: string }) {
  // Every second part stood between two backticks.
  const parts = text.split(/`([^`\n]+)`/)
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name
      <code key={index}>{part}</code>
    ),
  )
}
