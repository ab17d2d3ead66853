// The score, with what it is made of. It stands where the list of its controls stands, and nowhere else.
import type { ComplianceReport } from '../../../reports/report/report.schema.ts'
import { countedStates } from './control-words.ts'

type Given = Pick<ComplianceReport, 'score' | 'controls'>

export const ScoreFigure = ({ score, controls }: Given) => (
  <p class="figure">
    <b>{score.percent === null ? 'No control applies' : `${score.percent}%`}</b>
    of the weights that apply pass, rounded down: {score.weight_passed} of {score.weight_applicable}.{' '}
    {countedStates(controls)}. What does not apply and what needs a person are in neither sum.
  </p>
)
