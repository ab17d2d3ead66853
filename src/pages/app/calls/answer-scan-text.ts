// Says in words what was read of a call's answer, and what was found in it.
import type { Call } from '../../../management/calls/calls.schema.ts'
import { plural } from '../../text/format.ts'
import { listed } from '../../text/reword-text.ts'
import { countedShapes, shapeName } from '../../text/shape-names.ts'

type AnswerScan = NonNullable<Call['answer_scan']>

const UNREAD = {
  sealed_thinking: 'sealed thinking',
  provider_members: 'what only this provider has',
  too_long: 'what is beyond the limit',
} as const

/** Returns what was read of the answer, in words. Of a call whose end nobody saw, that is not known. */
function coverageText({ coverage }: AnswerScan, rules: readonly string[] = [], ending = ''): string {
  if (coverage !== 'none') return coverage === 'full' ? 'Read in full' : 'Read in part'
  if (!rules.includes('pii_scan.answers')) return 'Not searched: no rule asks for it'
  return ending === 'interrupted' ? 'Not known' : 'Nothing went out'
}

/** Returns what was read of the answer and what was in it, in words. */
export function answerScanText(scan: AnswerScan, rules: readonly string[] | undefined, ending?: string): string {
  const { coverage, found, redacted, stopped, unread } = scan
  const counts = countedShapes(found)
  return [
    coverageText(scan, rules, ending),
    ...(unread.length > 0 ? [`unread: ${listed(unread.map((part) => UNREAD[part]))}`] : []),
    ...(coverage !== 'none' && counts === '' ? ['nothing found'] : []),
    ...(counts === '' ? [] : [`${counts} found`]),
    ...(redacted > 0 ? [`${plural(redacted, 'value')} taken out`] : []),
    ...(stopped.length > 0 ? [`stopped: ${listed(stopped.map(shapeName))}`] : []),
  ].join(' · ')
}
