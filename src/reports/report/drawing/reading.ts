// What a reader has to know before the first number.
import type { Flow } from '../../pdf/layout/flow.ts'
import { BODY, SECTION } from './styles.ts'

export function drawReading(flow: Flow): void {
  flow.heading('H2', 'How to read this report', SECTION, { follows: 60, bookmark: 1 })
  flow.space(6)
  flow.list(
    [
      'It tells what one gateway, Countersign, has evidence of: which calls to models were decided, how they ended, what they cost, and whether the record of them is whole. Calls that went to a model by another way are not in it.',
      'It is no legal advice, no certificate, and no finding that a law is kept or broken. What it cannot show has a section of its own, to be read before it is signed.',
      'Days and times are those of UTC. The first and the last day of the period are both in it.',
      'Costs are in euro, rounded to the cent. The report’s JSON has them to the millionth.',
      'All of it is drawn from that JSON, the hash of which is an entry of the organisation’s log. How to check says how somebody can make sure of it who trusts neither this document nor the service.',
    ],
    BODY,
  )
}
