// Keys page: the rules of the policy in force that apply to a key, each with the calls of the key that it stopped.
import type { Key } from '../../../keys/key.schema.ts'
import { Icon } from '../../parts/icon.view.tsx'
import { shield } from '../../parts/icons.ts'
import { formatNumber } from '../../text/format.ts'
import { SAY, summaryOf } from '../../text/rule-summaries.ts'
import { inOrganisation } from '../session.ts'
import { modelsInRegion, regionOfKey, type KeyFigures, type Ruling } from './load-keys.ts'

const OF_KEY = { ...SAY, each: 'for this key' }

type Subject = Pick<Key, 'id' | 'requests_per_minute' | 'requests_per_day' | 'data_region'>

/** A key that is not made yet, which no rule names. */
const NEW_KEY: Subject = { id: '', requests_per_minute: null, requests_per_day: null, data_region: null }

type Props = { ruling: Ruling; subject?: Subject; figures?: KeyFigures | null }

/** @param figures what stopped the key's calls; absent: nothing is counted */
export function RulesForKey({ ruling, subject = NEW_KEY, figures = null }: Props) {
  const { policy, words } = ruling
  const rules = words === null ? [] : describeRules(words, ruling, subject)
  const stops = stopsByRule(figures)
  return (
    <section class="card parts" aria-label="Rules for this key">
      <div class="head">
        <h2>Rules for this key</h2>
        <span class="soft small">
          {policy.version === 0 ? 'No policy yet' : `Policy version ${formatNumber(policy.version)}`}
        </span>
      </div>
      {words === null && <p>The rules could not be loaded. Reload the page.</p>}
      <ul class="plain rule-list">
        {rules.map(({ id, name, text }) => (
          <li key={id}>
            <a href={inOrganisation(`/app/policies#${id}`)}>
              <Icon of={shield} />
              <span>
                <b>{name}</b>
                <span class="soft small">{text}</span>
              </span>
              <Stopped by={id} count={stops.get(id) ?? 0} />
            </a>
          </li>
        ))}
      </ul>
      {stops.size > 0 && <div class="foot-line">Calls of the last 30 days.</div>}
    </section>
  )
}

function Stopped({ by, count }: { by: string; count: number }) {
  if (count === 0) return null
  return (
    <span class={`badge ${by === 'human_approval' ? 'warn' : 'bad'}`}>
      {formatNumber(count)} {by === 'human_approval' ? 'held' : 'stopped'}
    </span>
  )
}

function stopsByRule(figures: KeyFigures | null): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { rule, requests } of figures?.stops ?? []) {
    if (rule !== null) counts.set(rule, (counts.get(rule) ?? 0) + requests)
  }
  return counts
}

/** Returns the rules that mean something for the key, in the order in which they refuse. */
const describeRules = ({ STOPPING_RULES, wordsOf }: NonNullable<Ruling['words']>, ruling: Ruling, subject: Subject) => {
  const key = {
    id: subject.id,
    region: regionOfKey(ruling, subject),
    models: modelsInRegion(ruling, subject),
    settings: ruling.settings,
  }
  return STOPPING_RULES.flatMap((id) => {
    const words = wordsOf(id)
    const rule = ruling.policy.document[id]
    const own: unknown = words.forKey === undefined ? rule : words.forKey(rule, key)
    return own === undefined ? [] : [{ id, name: words.name, text: summaryOf(words, own, OF_KEY) }]
  })
}
