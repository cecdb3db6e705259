/**
 * A client of a running daemon, for Node: `openClient({ url, token })` or `{ socket, token }`.
 */
export type { OperationAnswer, OperationInput, StreamMessage } from '../doors/api/contract.ts'
export type { OperationName } from '../doors/api/operations-table.ts'
export { PawlProblem, type ProblemCode, type ProblemDocument } from '../doors/api/problem.ts'
export {
  type CallOptions,
  type Client,
  type ClientOptions,
  openClient,
  type WatchOptions,
} from './open-client.ts'
