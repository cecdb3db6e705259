/**
 * What the package exports for programs: reading, checking, running, drawing and testing
 * definitions. Must not know a door.
 */
export * from './core/index.ts'
export {
  type DefinitionLibrary,
  type Libraries,
  openLibraries,
} from './runtime/definitions/definition-library.ts'
export { readDefinition, type SourceFile } from './runtime/definitions/read-definition.ts'
export { PawlError } from './runtime/pawl-error.ts'
export * from './testing/index.ts'
