/** An authenticator inside the browser, so that tests can sign without a person. */
import type { Page } from 'playwright-core'

type AuthenticatorWish = {
  /** Whether its owner proves to be there; absent: they do. */
  readonly isUserVerified?: boolean
}

/** Gives a page an authenticator; what it signs with stays with that page. */
export async function addAuthenticator(page: Page, wish: AuthenticatorWish = {}): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: wish.isUserVerified ?? true,
      automaticPresenceSimulation: true,
    },
  })
}
