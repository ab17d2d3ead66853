import { isJsonObject } from '../../platform/json.ts'
import { countOf, joined, textsIn, type WordsOf, type Say } from './rule-words.ts'

export function caseWords(one: unknown, { euro, plural }: Say): string {
  if (!isJsonObject(one)) return 'a case that the form cannot show'
  const { use_cases: useCases, models, keys, content_kinds: kinds, min_cost_eur: cost, ...others } = one
  const parts = [
    useCases !== undefined && textsIn(useCases).join(' or '),
    models !== undefined && textsIn(models).join(' or '),
    keys !== undefined && plural(countOf(keys), 'key'),
    kinds !== undefined && `with ${textsIn(kinds).join(' or ')}`,
    typeof cost === 'number' && `from ${euro(cost)}`,
    countOf(others) > 0 && Object.keys(others).join(', '),
  ].filter((part) => typeof part === 'string')
  return parts.length === 0 ? 'every call' : parts.join(', ')
}

export const humanApproval: WordsOf<'human_approval'> = {
  name: 'Approval by people',
  about: 'A call that matches waits until a second person approves it. Nobody can approve their own.',
  off: 'no call waits',
  start: { when: [{}] },
  members: [
    { name: 'when', label: 'Calls that wait' },
    {
      name: 'approvals_required',
      label: 'People who must approve',
      words: [
        [1, '1 person'],
        [2, '2 people'],
      ],
    },
    {
      name: 'expires_seconds',
      label: 'A request expires after',
      hint: 'From 5 minutes to 7 days; 1 day if empty. After approval, the program has one hour to send it.',
      unit: 'time',
    },
  ],
  reasons: { approval_required: 'Approval required' },
  summary: ({ when, approvals_required: people, expires_seconds: expires }, say) =>
    joined(
      `Holds ${Array.isArray(when) ? when.map((one) => caseWords(one, say)).join('; ') : 'no call'}`,
      people === 2 && '2 people approve',
      typeof expires === 'number' && `expires after ${say.time(expires)}`,
    ),
  forKey: (rule, { id }) => {
    const own = (rule?.when ?? []).filter(({ keys }) => keys?.includes(id) !== false)
    return rule === undefined || own.length === 0
      ? undefined
      : { ...rule, when: own.map((one) => Object.assign({}, one, { keys: undefined })) }
  },
}
