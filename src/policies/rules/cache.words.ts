import { numberWords, type WordsOf } from './rule-words.ts'

export const cache: WordsOf<'cache'> = {
  name: 'Stored answers',
  about: 'Keeps answers, sealed, and gives them again to the same request of the same key, without asking a model.',
  off: 'no answer is kept',
  start: { ttl_seconds: 3600 },
  members: [
    { name: 'ttl_seconds', label: 'An answer is given again for', unit: 'time' },
    { name: 'with_temperature', label: 'Requests with a temperature above 0 too' },
    { name: 'with_stream_tools', label: 'Streams with tools too' },
  ],
  summary: (rule, { time }) =>
    numberWords(rule, 'ttl_seconds', (value) => `Given again for ${time(value)}`) ?? 'No time is set',
}
