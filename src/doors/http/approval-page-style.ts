/** Styles of the approval pages behind one-time links: large buttons, light and dark. */
export const decideStyle = `
:root {
  color-scheme: light dark;
  --ink: #1d2733; --paper: #fbfaf7; --soft: #5d6875; --line: #dcd8cf; --box: #f1efe9;
  --yes: #176f3c; --no: #a3271f; --on: #ffffff; --add: #e2f3e6; --cut: #fbe5e2
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8e6e1; --paper: #16191d; --soft: #a3adb9; --line: #2e343b; --box: #1e2329;
    --yes: #53c483; --no: #ff8f85; --on: #101214; --add: #173222; --cut: #3a1d1b
  }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink) }
body { font: 17px/1.5 system-ui, sans-serif }
main { max-width: 40rem; margin: 0 auto; padding: 1.25rem 1rem 2rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 1rem }
h1.long { font-size: 1rem; font-weight: 600 }
h2 { font-size: 0.85rem; margin: 1rem 0 0.25rem; color: var(--soft) }
.lead, .soft, label { color: var(--soft); font-size: 0.9rem; margin: 0.75rem 0 0.25rem }
.line { margin: 0; font-family: ui-monospace, monospace }
pre { margin: 0; padding: 0.75rem; border: 1px solid var(--line); border-radius: 8px }
pre { background: var(--box); font: 0.85rem/1.5 ui-monospace, monospace }
pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 60vh; overflow-y: auto }
pre.added { background: var(--add) }
pre.removed { background: var(--cut) }
.tag { border: 1px solid var(--line); border-radius: 99px; padding: 0 0.5rem; font-weight: 400 }
.tag.claimed { border-color: var(--no); color: var(--no) }
.tag.observed { border-color: var(--yes); color: var(--yes) }
.alert { border: 2px solid var(--no); border-radius: 8px; padding: 0.75rem }
blockquote { margin: 0.75rem 0; padding: 0.25rem 0.75rem; border-left: 4px solid var(--line) }
form { border-top: 1px solid var(--line); margin-top: 1.25rem }
label { display: block }
textarea { width: 100%; font: inherit; color: inherit; background: var(--box) }
textarea { border: 1px solid var(--line); border-radius: 8px; padding: 0.5rem }
.choice { display: flex; gap: 0.75rem; margin-top: 1rem }
button { flex: 1; min-height: 3.5rem; font: inherit; font-weight: 600; border-radius: 10px }
button { border: 2px solid; cursor: pointer }
.yes { background: var(--yes); border-color: var(--yes); color: var(--on) }
.no { background: transparent; border-color: var(--no); color: var(--no) }
h1.approved, h1.granted { color: var(--yes) }
h1.refused, h1.expired { color: var(--no) }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px }
`
