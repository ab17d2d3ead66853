import { ownMember } from '../../platform/json.ts'
import { countOf, joined, lowest, numberWords, type WordsOf } from './rule-words.ts'

export const rateLimit: WordsOf<'rate_limit'> = {
  name: 'Rate limits',
  about: 'Lower limits than those of the tier and of the keys. The lowest one decides.',
  off: 'the limits of the tier and of the keys',
  start: {},
  members: [
    { name: 'requests_per_minute', label: 'A minute, all keys', unit: 'requests' },
    { name: 'key_requests_per_minute', label: 'A minute, each key', unit: 'requests' },
    { name: 'key_requests_per_day', label: 'A day, each key', unit: 'requests' },
  ],
  summary: (rule, { number, plural, each }) =>
    joined(
      numberWords(rule, 'requests_per_minute', (value) => `${plural(value, 'request')} a minute for all keys`),
      numberWords(rule, 'key_requests_per_minute', (value) => `${number(value)} a minute ${each}`),
      numberWords(rule, 'key_requests_per_day', (value) => `${number(value)} a day ${each}`),
      countOf(rule['keys']) > 0 && `own limits for ${plural(countOf(rule['keys']), 'key')}`,
    ) || 'No limit is set',
  forKey: (rule, { id }) => {
    const own = ownMember(rule?.keys, id)
    const limits = {
      requests_per_minute: rule?.requests_per_minute,
      key_requests_per_minute: lowest(rule?.key_requests_per_minute, own?.requests_per_minute),
      key_requests_per_day: lowest(rule?.key_requests_per_day, own?.requests_per_day),
    }
    return lowest(...Object.values(limits)) === undefined ? undefined : limits
  },
}
