/**
 * Imported before anything else: the library that reads shapes would try whether it may make code
 * of texts, and the policy of this page would say no, aloud. This is how it is told beforehand.
 * WHY not by its own function: that would bring the library into the first page.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
