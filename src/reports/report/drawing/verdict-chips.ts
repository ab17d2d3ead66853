// Draws the verdict of every control as a small sign, in the groups of the checklist.
import { widthOf } from '../../pdf/fonts/typeface.ts'
import type { TextFlow } from '../../pdf/layout/text-flow.ts'
import type { TextRun } from '../../pdf/layout/break-lines.ts'
import type { Control } from '../report.schema.ts'
import { CONTROL_STATES } from '../../controls/control.ts'
import { FRAME, NOTE, SMALL_STRONG } from './report-styles.ts'
import { CONTROL_STATE_STYLES } from './report-formats.ts'

/** The names of the groups of controls, by the first letter of their ids. */
const GROUPS: Readonly<Record<string, string>> = {
  L: 'The record',
  K: 'Keys and access',
  P: 'Policy',
  H: 'People decide',
  M: 'Monitoring',
  D: 'Data',
  X: 'Beyond this service',
}

const CHIP_WIDTH = 38
const CHIP_HEIGHT = 15
const CHIP_GAP = 4
const GROUPS_LEFT = 112

export function drawVerdictChips(flow: TextFlow, controls: readonly Control[]): void {
  const groups = Map.groupBy(controls, ({ id }) => GROUPS[id.slice(0, 1)] ?? 'Others')
  const list = flow.add('L')
  const perRow = Math.floor((FRAME.width - GROUPS_LEFT + CHIP_GAP) / (CHIP_WIDTH + CHIP_GAP))
  for (const [title, members] of groups) {
    const item = flow.add('LI', list)
    const label = flow.add('Lbl', item)
    const body = flow.add('LBody', item)
    for (let from = 0; from < members.length; from += perRow) {
      flow.need(CHIP_HEIGHT + 5)
      const { page, y } = flow
      const row = members.slice(from, from + perRow)
      const left = (index: number): number => FRAME.left + GROUPS_LEFT + index * (CHIP_WIDTH + CHIP_GAP)
      if (from === 0) page.mark(label, () => page.text([FRAME.left, y + 11], SMALL_STRONG, `${title} `))
      page.artifact('Layout', () => {
        for (const [index, { state }] of row.entries()) {
          page.rectangle(
            { x: left(index), y, width: CHIP_WIDTH, height: CHIP_HEIGHT },
            CONTROL_STATE_STYLES[state].ground,
          )
        }
      })
      page.mark(body, () => {
        for (const [index, { id, state }] of row.entries()) {
          const { ink, sign } = CONTROL_STATE_STYLES[state]
          const text = `${id} ${sign}`
          const shift = (CHIP_WIDTH - widthOf('bold', 8.25, text)) / 2
          page.text([left(index) + shift, y + 10.5], { face: 'bold', size: 8.25, colour: ink }, `${text} `)
        }
      })
      flow.y += CHIP_HEIGHT + 5
    }
  }
  const key = CONTROL_STATES.flatMap((state, index): TextRun[] => {
    const { sign, word, ink } = CONTROL_STATE_STYLES[state]
    const between = index === CONTROL_STATES.length - 1 ? '' : '   ·   '
    return [
      { text: sign, type: { ...SMALL_STRONG, colour: ink } },
      { text: ` ${word}${between}`, type: NOTE },
    ]
  })
  flow.paragraph(key, NOTE, { indent: GROUPS_LEFT })
}
