/**
 * Imported before anything else: tells zod not to try generated code, which the content security
 * policy of this page would block and report. WHY not with zod's own function: that would load the
 * library with the first page.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
