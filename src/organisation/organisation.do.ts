// The Durable Object of one organisation: decides about its calls and records them. Each feature is a target that callers reach
// through a property (`object.keys.list(…)`) in one round trip. The object's own methods decide about calls. Errors that callers
// expect are values. Callers reach only methods and getters of the prototype, no fields.
import { DurableObject } from 'cloudflare:workers'
import { openMigrated, NewerObjectError } from '../platform/durable-object.ts'
import { describeThrown, log } from '../platform/log.ts'
import { MINUTE_MS } from '../platform/time.ts'
import {
  admitReferral,
  settleReading,
  type ReferralAdmission,
  type ReferralFacts,
  type ReadingSettled,
  type ReadingSettlement,
} from './admit/admit-referral.ts'
import { admitChat } from './admit/admit-chat.ts'
import { settleChatAndAlert } from './admit/budget-alerts.ts'
import type { ChatAdmission } from './admit/admission-outcomes.ts'
import {
  admitWithoutModel,
  type CallWithoutModel,
  type AdmissionWithoutModel,
  type CallerKey,
} from './admit/check-call.ts'
import { updateClaimAndCache, NO_CLAIM_OR_CACHE_UPDATE, type ClaimAndCacheUpdate } from './admit/answer-reuse.ts'
import type { ChatFacts } from './admit/record-chat.ts'
import type { ChatSettled, ChatSettlement } from './admit/settle-chat.ts'
import { ApprovalsTarget } from './approvals/approvals.target.ts'
import { AuditTarget } from './audit/audit.target.ts'
import { BiasTarget } from './bias/bias.target.ts'
import { ComplianceTarget } from './compliance/compliance.target.ts'
import { ContentTarget } from './content/content.target.ts'
import { ErasureTarget } from './erasure/erasure.target.ts'
import { ExportTarget } from './export/export.target.ts'
import { KeysTarget } from './keys/keys.target.ts'
import { LogTarget } from './log/log.target.ts'
import { isOpenChat } from './journal/state/monthly-usage.ts'
import { createObjectParts, type ObjectParts } from './object-parts.ts'
import { createTasks } from './object-tasks.ts'
import { ORGANISATION_MIGRATIONS } from './organisation-stores.ts'
import { PolicyTarget } from './policies/policy.target.ts'
import { ReceiptsTarget } from './receipts/receipts.target.ts'
import { SettingsTarget } from './settings/settings.target.ts'
import { ObjectAlarm } from './object-alarm.ts'
import { OutcomesTarget } from './outcomes/outcomes.target.ts'
import { UsageTarget } from './usage/usage.target.ts'
import { NoticesTarget } from './notifications/notices.target.ts'
import { WebhookTarget } from './notifications/webhook.target.ts'

const createFeatures = (parts: ObjectParts) => ({
  approvals: new ApprovalsTarget(parts),
  audit: new AuditTarget(parts),
  bias: new BiasTarget(parts),
  compliance: new ComplianceTarget(parts),
  content: new ContentTarget(parts),
  erasure: new ErasureTarget(parts),
  export: new ExportTarget(parts),
  keys: new KeysTarget(parts),
  log: new LogTarget(parts),
  notices: new NoticesTarget(parts),
  policy: new PolicyTarget(parts),
  receipts: new ReceiptsTarget(parts),
  outcomes: new OutcomesTarget(parts),
  settings: new SettingsTarget(parts),
  usage: new UsageTarget(parts),
  webhook: new WebhookTarget(parts),
})

/** The tasks of an object that a newer release wrote wait for that release. */
const NEWER_OBJECT_WAIT_MS = 10 * MINUTE_MS

function openObject(ctx: DurableObjectState, env: Cloudflare.Env) {
  const parts: ObjectParts = createObjectParts(ctx, env, () => alarm)
  const alarm = new ObjectAlarm(ctx.storage, createTasks(parts))
  return { parts, alarm, features: createFeatures(parts) }
}

export class Organisation extends DurableObject {
  /** Throws NewerObjectError where a newer release wrote the object. */
  protected readonly opened: () => ReturnType<typeof openObject>

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    this.opened = openMigrated(ctx.storage, ORGANISATION_MIGRATIONS, () => openObject(ctx, env))
  }

  get approvals(): ApprovalsTarget {
    return this.opened().features.approvals
  }

  get audit(): AuditTarget {
    return this.opened().features.audit
  }

  get bias(): BiasTarget {
    return this.opened().features.bias
  }

  get compliance(): ComplianceTarget {
    return this.opened().features.compliance
  }

  get content(): ContentTarget {
    return this.opened().features.content
  }

  get erasure(): ErasureTarget {
    return this.opened().features.erasure
  }

  get export(): ExportTarget {
    return this.opened().features.export
  }

  get keys(): KeysTarget {
    return this.opened().features.keys
  }

  get log(): LogTarget {
    return this.opened().features.log
  }

  get notices(): NoticesTarget {
    return this.opened().features.notices
  }

  get outcomes(): OutcomesTarget {
    return this.opened().features.outcomes
  }

  get policy(): PolicyTarget {
    return this.opened().features.policy
  }

  get receipts(): ReceiptsTarget {
    return this.opened().features.receipts
  }

  get settings(): SettingsTarget {
    return this.opened().features.settings
  }

  get usage(): UsageTarget {
    return this.opened().features.usage
  }

  get webhook(): WebhookTarget {
    return this.opened().features.webhook
  }

  admit(request: ReferralFacts): ReferralAdmission {
    return this.opened().parts.turns.call((stores, now) => admitReferral(stores, request, now))
  }

  settleReading(request: ReadingSettlement): ReadingSettled {
    const { stores, turns } = this.opened().parts
    return turns.take(() => settleReading(stores.journal, request, Date.now()))
  }

  admitChat(facts: ChatFacts): ChatAdmission {
    const { turns, submitter } = this.opened().parts
    return turns.call(
      (stores, now) => admitChat(stores, facts, now),
      (now) => submitter.dueAfter(now),
    )
  }

  settleChat(settlement: ChatSettlement, after: ClaimAndCacheUpdate = NO_CLAIM_OR_CACHE_UPDATE): ChatSettled {
    const { stores, turns } = this.opened().parts
    return turns.take(() => {
      const now = Date.now()
      const settled = settleChatAndAlert(stores, settlement, now)
      if (settled.outcome === 'settled') updateClaimAndCache(stores, after, now)
      return settled
    })
  }

  /** Notes what a running chat costs so far, for the estimate if nobody settles it. */
  noteChatCost(position: number, microeur: number): void {
    const { stores, turns } = this.opened().parts
    turns.take(() => {
      if (isOpenChat(stores.journal.state.months, position)) stores.costs.write(position, microeur)
    })
  }

  admitWithoutModel(call: CallWithoutModel, caller: CallerKey): AdmissionWithoutModel {
    return this.opened().parts.turns.call((stores, now) => admitWithoutModel(stores, call, caller, now))
  }

  /** Runs the tasks that are due. An organisation that is being erased runs only its erasure. Safe to repeat. */
  override async alarm(): Promise<void> {
    try {
      const { parts, alarm } = this.opened()
      const now = Date.now()
      parts.turns.take(() => parts.stores.erasure.beginIfDue(now))
      await alarm.wake(now)
    } catch (thrown) {
      if (!(thrown instanceof NewerObjectError)) throw thrown
      log({ level: 'error', event: 'unexpected_error', ...describeThrown(thrown) })
      await this.ctx.storage.setAlarm(Date.now() + NEWER_OBJECT_WAIT_MS)
    }
  }
}
