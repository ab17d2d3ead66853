// Reads a call: its body, its headers and the signing key. It throws a fault of the request as an AppError,
// and the call must be counted before that is answered.
import { type Signer, noSigningKey } from '../../evidence/records/configured-keys.ts'
import type { SigningKey } from '../../evidence/records/signing-key.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { RequestFacts } from '../../organisation/admit/chat-gate.ts'
import type { Clock } from '../../platform/time.ts'
import { setHeaders, type AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { readIdempotencyKey } from '../../platform/read-request.ts'
import { sha256 } from '../../platform/sha256.ts'
import type { EndpointId } from '../../providers/provider-registry.ts'
import type { EndpointsSettings } from '../../providers/endpoint-settings.ts'
import { openAnswerMemory, type AnswerMemory } from '../memory/answer-memory.ts'
import { readCallBody, type BodyMemory } from '../memory/body-memory.ts'
import type { MemoryPool } from '../memory/memory-pool.ts'
import { readApproval, readCohort, readDataRegion, readDeadline, readUnsupported, readUseCase } from './call-headers.ts'
import { callError } from './call-errors.ts'
import type { CallOperation } from './call-operation.ts'
import type { FairQueue } from './fair-queue.ts'
import { refuseAdapted, type CallInput, type ReadCall } from './prepare-call.ts'
import { modelHeader } from './trace.ts'

/** The facts that the request's address and headers contain. */
export type CallerFacts = Pick<
  RequestFacts,
  'route' | 'useCase' | 'cohort' | 'dataRegion' | 'idempotencyKeyHash' | 'approval'
>

export type ValidCall = CallerFacts & {
  input: CallInput
  /** When it was read, in Unix milliseconds. */
  startedAt: number
  /** Unix milliseconds; null if the caller sets none. */
  deadline: number | null
  signingKey: SigningKey
  answerMemory: AnswerMemory
  /** The body as it was sent. */
  bytes: Uint8Array
}

export type Arrival = { operation: CallOperation; arrivedAt: number }

type Deps = {
  pool: MemoryPool
  queue: FairQueue
  signer: Signer | null
  endpoints: EndpointsSettings
  clock: Clock
}

export function createCallReader({ pool, queue, signer, endpoints, clock }: Deps) {
  /** Parsing a large body takes some milliseconds, so large bodies take turns. */
  async function readInTurn<T>(key: ParsedKey, bytes: Uint8Array, read: () => T): Promise<T> {
    if (bytes.length <= pool.limits.largeBytes) return read()
    const turns = queue.enter(key.organisationId)
    try {
      await turns.next()
      return read()
    } finally {
      turns.leave()
    }
  }

  const canUse = (endpoint: EndpointId): boolean => endpoints[endpoint].apiKey !== null

  /** Reads a body for the estimate of its input. Throws its fault. */
  async function estimated(c: AppContext, key: ParsedKey, read: ReadCall, memory: BodyMemory): Promise<CallInput> {
    const bytes = await readCallBody(c.req.raw, memory)
    const input = await readInTurn(key, bytes, () =>
      read(c.req.raw.headers, bytes, { at: clock(), canUse: () => true }),
    )
    if (input instanceof AppError) throw input
    return input
  }

  async function readValidCall(
    c: AppContext,
    key: ParsedKey,
    { operation, arrivedAt }: Arrival,
    bodyMemory: BodyMemory,
  ): Promise<ValidCall> {
    const bytes = await readCallBody(c.req.raw, bodyMemory)
    const startedAt = clock()
    const input = await readInTurn(key, bytes, () =>
      operation.read(c.req.raw.headers, bytes, { at: startedAt, canUse }),
    )
    if (input instanceof AppError) throw input
    setHeaders(c, modelHeader(input.modelName, input.outline.model.id))
    const useCase = readUseCase(c)
    const approval = readApproval(c)
    const cohort = readCohort(c)
    const refused = readUnsupported(c) === 'refuse' ? refuseAdapted(input) : null
    if (refused !== null) throw refused
    const idempotencyKey = readIdempotencyKey(c.req.raw.headers)
    if (idempotencyKey instanceof AppError) throw idempotencyKey
    const deadline = readDeadline(c, arrivedAt)
    const dataRegion = readDataRegion(c)
    if (!canUse(input.outline.routes[0].model.endpoint)) throw callError('provider_not_configured')
    const signingKey = (await signer?.keyAt(clock())) ?? null
    if (signingKey === null) throw noSigningKey()
    const answerMemory = openAnswerMemory(pool, key.organisationId)
    if (answerMemory === null) throw callError('no_room_for_answer')
    const idempotencyKeyHash = idempotencyKey === null ? null : sha256(idempotencyKey)
    const { operationId: route } = operation
    const call = { route, input, startedAt, useCase, cohort, dataRegion, approval, idempotencyKeyHash, deadline }
    return { ...call, signingKey, answerMemory, bytes }
  }

  return { readValidCall, estimated }
}
