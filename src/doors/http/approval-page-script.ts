/**
 * The script of an approval page that must be signed: has the person's passkey sign the decision,
 * or makes a passkey on this device. Without libraries, so that its hash is all the page permits.
 */
export const signScript = `
(() => {
  const form = document.querySelector('form')
  const said = document.getElementById('said')
  const field = (name) => form.elements.namedItem(name)
  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  const known = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }))
  const post = async (path, body) => {
    const headers = { 'content-type': 'application/json' }
    const sent = JSON.stringify({ token: field('token').value, ...body })
    const answer = await fetch(location.pathname + path, { method: 'POST', headers, body: sent })
    const value = await answer.json()
    if (!answer.ok) throw new Error(value.detail + (value.hint ? '; ' + value.hint : ''))
    return value
  }
  const tell = (what) => {
    said.textContent = what
    said.hidden = false
  }
  const trying = async (work) => {
    said.hidden = true
    if (!navigator.credentials) return tell('This browser cannot use passkeys here.')
    await work().catch((fault) => tell('Nothing was decided: ' + fault.message))
  }
  const sign = async (decision) => {
    const note = field('note').value
    const { nonce, options } = await post('/sign', { granted: decision === 'approve', note })
    const publicKey = {
      ...options,
      challenge: bytes(options.challenge),
      allowCredentials: known(options.allowCredentials),
    }
    const { id, response } = await navigator.credentials.get({ publicKey })
    const assertion = {
      id,
      authenticatorData: text(response.authenticatorData),
      clientDataJson: text(response.clientDataJSON),
      signature: text(response.signature),
    }
    field('signature').value = JSON.stringify({ nonce, assertion })
    field('signed').value = decision
    form.submit()
  }
  const addKey = async () => {
    const { id, options } = await post('/key', {})
    const publicKey = {
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials: known(options.excludeCredentials),
    }
    const made = await navigator.credentials.create({ publicKey })
    const { code } = await post('/key', {
      id,
      credentialId: made.id,
      attestationObject: text(made.response.attestationObject),
      clientDataJson: text(made.response.clientDataJSON),
    })
    tell(
      'Added, with the code ' + code + '. Now open Passkeys on the machine where Pawl runs. ' +
      'Where you see this code, select Confirm. Then try again.'
    )
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    trying(() => sign(event.submitter.value))
  })
  document.getElementById('add').addEventListener('click', () => trying(addKey))
})()
`
