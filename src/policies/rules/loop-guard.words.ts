import type { JsonObject } from '../../platform/json.ts'
import { joined, numberWords, type WordsOf, type Say } from './rule-words.ts'

const timesWords = (rule: JsonObject, [count, noun]: [string, string], window: string, say: Say): string | null => {
  const within = rule[window]
  return numberWords(
    rule,
    count,
    (value) => `${noun} ${say.number(value)} times${typeof within === 'number' ? ` in ${say.time(within)}` : ''}`,
  )
}

export const loopGuard: WordsOf<'loop_guard'> = {
  name: 'Loops',
  about: 'What counts as a loop, in the place of the settings. Loops are looked for in any case.',
  off: 'the settings say what a loop is',
  start: {},
  members: [
    { name: 'repeats', label: 'Same request', unit: 'times', setting: 'loop_repeats' },
    { name: 'window_seconds', label: 'Repeated within', unit: 'time', setting: 'loop_window_seconds' },
    { name: 'cycle_rounds', label: 'Requests in turn', unit: 'rounds', setting: 'loop_cycle_rounds' },
    { name: 'cycle_window_seconds', label: 'In turn within', unit: 'time', setting: 'loop_cycle_window_seconds' },
  ],
  summary: (rule, say) =>
    joined(
      timesWords(rule, ['repeats', 'Same request'], 'window_seconds', say),
      timesWords(rule, ['cycle_rounds', 'Requests in turn'], 'cycle_window_seconds', say),
    ) || 'As the settings say',
  forKey: (rule, { settings: { loop_repeats: repeats, loop_window_seconds: window_seconds } }) => ({
    repeats,
    window_seconds,
    ...rule,
  }),
}
