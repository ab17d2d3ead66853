// GET /v1/approvals/{id}: shows an approval to the key that asked for it. It can wait up to 50 seconds for the decision.
// Meanwhile the Worker asks the organisation's object again every two seconds.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import type { Signer } from '../evidence/records/configured-keys.ts'
import { readBearerKey } from '../keys/bearer-key.ts'
import type { ParsedKey } from '../keys/key-format.ts'
import type { ChatGate } from '../organisation/admit/chat-gate.ts'
import { approvalNotFound, presentWithRecords, readApprovalId } from '../organisation/approvals/present-approval.ts'
import {
  ApprovalWithRecordsSchema,
  type ShownApprovalWithRecords,
} from '../organisation/approvals/approval-response.schema.ts'
import type { ApprovalWithRecords } from '../organisation/approvals/read-approvals.ts'
import { reachForAdmission, type OpenOrganisation } from '../organisation/organisation-client.ts'
import { refusalError } from '../organisation/refusal-errors.ts'
import type { Pause } from '../platform/time.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'
import { selfAdmittingOperations } from '../platform/operations.ts'
import type { Api } from '../platform/router.ts'
import type { RequireKey } from '../organisation/admit/require-key.ts'

const MOST_WAIT_SECONDS = 50

const QuerySchema = once(() =>
  z.object({
    wait: z.coerce
      .number()
      .int()
      .min(0)
      .max(MOST_WAIT_SECONDS)
      .default(0)
      .meta({ description: 'For so many seconds at most the answer waits while nobody has decided.' }),
  }),
)

export function callerApprovalRoutes(service: CallerApprovalsService, requireKey: RequireKey): Api {
  const { api, openapi } = selfAdmittingOperations(requireKey)
  openapi(
    {
      route: 'GET /v1/approvals/{id}',
      operationId: 'readOwnApproval',
      tags: ['Approvals'],
      summary: 'Get your own approval',
      description:
        'Returns the state of an approval that this key asked for. Once it is approved, send the very same request again with the header `x-aqta-approval`. Only the key that asked may look and use it.',
      security: [{ gatewayKey: [] }],
      query: QuerySchema,
      answers: { 200: [ApprovalWithRecordsSchema, 'The approval.'] },
      errors: ['not_found'],
    },
    async ({ c, sent }) => {
      const asked = await service.findApproval(c, c.req.param('id') ?? '')
      const { wait } = sent.query()
      c.header('cache-control', 'no-store')
      return c.json(await service.showDecided(c, asked, wait))
    },
  )
  return api
}

type Deps = {
  gate: ChatGate
  peppers: readonly Pepper[]
  open: OpenOrganisation
  signer: Signer | null
  pause: Pause
}

/** An approval, as the organisation's object returned it for this key. */
type FoundApproval = { key: ParsedKey; shown: ApprovalWithRecords }

type CallerApprovalsService = ReturnType<typeof createCallerApprovalsService>

const POLL_MS = 2000

/** The most requests of one key that may wait at the same time. Any further request is answered without waiting. */
const MOST_WAITING = 20

export function createCallerApprovalsService({ gate, peppers, open, signer, pause }: Deps) {
  /** Key id → the number of its callers that wait in this isolate. */
  const waiting = new Map<string, number>()

  /** Limits how many callers of one key wait, so that the object is not asked too often. */
  async function limitWaiters<T>({ keyId }: ParsedKey, work: (isOneTooMany: boolean) => Promise<T>): Promise<T> {
    const others = waiting.get(keyId) ?? 0
    if (others >= MOST_WAITING) return work(true)
    waiting.set(keyId, others + 1)
    try {
      return await work(false)
    } finally {
      const remaining = (waiting.get(keyId) ?? 1) - 1
      if (remaining === 0) waiting.delete(keyId)
      else waiting.set(keyId, remaining)
    }
  }

  async function waitForDecision(
    c: AppContext,
    asked: FoundApproval,
    waitSeconds: number,
  ): Promise<ApprovalWithRecords> {
    const { signal } = c.req.raw
    const { key } = asked
    let { shown } = asked
    for (let leftMs = waitSeconds * 1000; leftMs > 0 && isWaiting(shown) && !signal.aborted; leftMs -= POLL_MS) {
      await pause(Math.min(POLL_MS, leftMs), signal)
      const { approval_id: id } = shown.approval
      const stub = () => open({ id: key.organisationId, jurisdiction: key.jurisdiction })
      const again: ApprovalWithRecords | null = await reachForAdmission(c, async () => stub().approvals.find(id))
      if (again === null) return shown
      shown = again
    }
    return shown
  }

  return {
    /** Returns the approval. Throws if the call is refused or the key has no such approval. */
    async findApproval(c: AppContext, idText: string): Promise<FoundApproval> {
      const key = readBearerKey(c, 'gateway', peppers)
      const id = readApprovalId(idText)
      const reply = await gate.readLog(c, key, async (object, caller) => object.approvals.findForKey(caller, id))
      if (reply.outcome !== 'admitted') throw refusalError(reply)
      if (reply.answer === null) throw approvalNotFound()
      return { key, shown: reply.answer }
    },

    async showDecided(c: AppContext, asked: FoundApproval, waitSeconds: number): Promise<ShownApprovalWithRecords> {
      const shown = await limitWaiters(asked.key, (isOneTooMany) =>
        waitForDecision(c, asked, isOneTooMany ? 0 : waitSeconds),
      )
      return presentWithRecords(shown, signer)
    },
  }
}

const isWaiting = ({ approval }: ApprovalWithRecords): boolean => approval.state === 'pending'
