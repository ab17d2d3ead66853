// Keys page: the rules of the policy in force that apply to a key, each with the calls of the key that it stopped.
import type { Key } from '../../../keys/key.schema.ts'
import { Icon } from '../../parts/icon.view.tsx'
import { shield } from '../../parts/icons.ts'
import { Note } from '../../parts/layout.view.tsx'
import { LinkRow } from '../../parts/link-row.view.tsx'
import { CardBody, CardFoot, HeadedCard, PlainList } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { SAY, summaryOf } from '../../text/rule-summaries.ts'
import { countByRule } from '../../text/rule-names.ts'
import { inOrganisation } from '../session.ts'
import { modelsInRegion, regionOfKey, type KeyFigures, type Ruling } from './load-keys.ts'

const OF_KEY = { ...SAY, each: 'for this key' }

type Subject = Pick<Key, 'id' | 'data_region'>

/** A key that is not made yet, which no rule names. */
const NEW_KEY: Subject = { id: '', data_region: null }

type Props = { ruling: Ruling; subject?: Subject; figures?: KeyFigures | null }

/** @param figures what stopped the key's calls; absent: nothing is counted */
export function RulesForKey({ ruling, subject = NEW_KEY, figures = null }: Props) {
  const { policy, words } = ruling
  const rules = words === null ? [] : describeRules(words, ruling, subject)
  const stops = countByRule(figures?.stops ?? [])
  return (
    <HeadedCard
      title="Rules for this key"
      act={<Note>{policy.version === 0 ? 'No policy yet' : `Policy version ${formatNumber(policy.version)}`}</Note>}
      isList
    >
      {words === null && <CardBody as="p">The rules could not be loaded. Reload the page.</CardBody>}
      <PlainList>
        {rules.map(({ id, name, text }) => (
          <LinkRow
            key={id}
            to={inOrganisation(`/app/policies#${id}`)}
            sign={<Icon of={shield} />}
            title={name}
            about={<Note>{text}</Note>}
          >
            {stops.has(id) && (
              <Badge tone={id === 'human_approval' ? 'warn' : 'bad'}>
                {formatNumber(stops.get(id) ?? 0)} {id === 'human_approval' ? 'held' : 'stopped'}
              </Badge>
            )}
          </LinkRow>
        ))}
      </PlainList>
      {stops.size > 0 && <CardFoot>Calls of the last 30 days.</CardFoot>}
    </HeadedCard>
  )
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
