// Reads and changes the settings of an organisation in its object. Each change is one turn with its log entry.
import type { EntryContent } from '../../evidence/entry.ts'
import {
  decideSettingsChange,
  type ChangeDecision,
  type OrganisationSettings,
  type VersionedSettings,
  type SettingsChangeRequest,
  toNamedSettings,
} from '../../policies/organisation-settings.ts'
import type { RetentionWarning } from '../../policies/log-retention.policy.ts'
import { PROVIDER_IDS } from '../../providers/provider-registry.ts'
import { notify } from '../../notifications/notify.ts'
import { appendAct, causeOf, type Act } from '../append-act.ts'
import { SETTINGS_CHANGED } from '../journal/load-state.ts'
import { FeatureTarget } from '../feature.target.ts'
import type { Stores } from '../organisation-stores.ts'

export type SettingsChanged =
  | { outcome: 'changed'; settings: VersionedSettings; warnings: readonly RetentionWarning[] }
  | Exclude<ChangeDecision, { outcome: 'changed' }>

export class SettingsTarget extends FeatureTarget<'stores' | 'turns'> {
  /** Returns the settings in force. Writes the act to the log if there is one. */
  read(act: Act | null): VersionedSettings {
    const { stores, turns } = this.parts
    return turns.record(act, () => stores.journal.state.settings)
  }

  /** Changes settings from the next call on. The first change creates the organisation. A refused change stores nothing. */
  change(wanted: SettingsChangeRequest, act: Act): SettingsChanged {
    return this.parts.turns.change((stores, now) => changeSettings(stores, wanted, act, now))
  }
}

/** Writes an entry with the new settings, which of them changed, and their values before. */
function changeSettings(
  { journal, outbox }: Stores,
  wanted: SettingsChangeRequest,
  act: Act,
  now: number,
): SettingsChanged {
  const before = journal.state.settings
  const highRisk = journal.state.policy.document.high_risk_use_cases ?? []
  const decision = decideSettingsChange(before, wanted, highRisk, now)
  if (decision.outcome !== 'changed') return decision
  // Above the version in D1 too: a restored database continues from the version that D1 has.
  const version = Math.max(before.version, wanted.knownVersion) + 1
  const { enabledProviders } = decision.settings
  const inOrder = PROVIDER_IDS.filter((provider) => enabledProviders.includes(provider))
  const settings = { ...decision.settings, enabledProviders: inOrder, version }
  const content = describeChange(before, settings, wanted.isRenamed === true)
  appendAct(journal, { ...act, content }, now, { outcome: SETTINGS_CHANGED, settings })
  const { changed } = content
  if (changed.length > 0) {
    notify(outbox, { type: 'settings.changed', data: { ...causeOf(act), settings: changed } }, now)
  }
  return { outcome: 'changed', settings, warnings: decision.warnings }
}

/** Describes a change for the log. A new name of the organisation is listed as changed, but the name itself is left out. */
function describeChange(
  before: OrganisationSettings,
  after: VersionedSettings,
  isRenamed: boolean,
): EntryContent & { changed: string[] } {
  const [was, is]: [EntryContent, EntryContent] = [toNamedSettings(before), toNamedSettings(after)]
  const others = Object.keys(is).filter((member) => JSON.stringify(was[member]) !== JSON.stringify(is[member]))
  return {
    ...is,
    version: after.version,
    changed: isRenamed ? ['name', ...others] : others,
    before: Object.fromEntries(others.flatMap((member) => (was[member] === undefined ? [] : [[member, was[member]]]))),
  }
}
