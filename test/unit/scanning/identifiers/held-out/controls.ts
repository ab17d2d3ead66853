// Clinical writing that holds no identifier and has the figures of one: doses, scores, levels, counts, spans of time.
import fc from 'fast-check'
import { CLINICAL_PHRASE } from '../generators.ts'
import { digits, integer, oneOf, padded, text } from './parts.ts'

const INSULIN = oneOf('insulin Insulin NovoRapid Lantus Humalog Levemir Fiasp Actrapid Tresiba insulin_dose_of')
const RUN_UNIT = oneOf(
  '_units _mg _ml _degrees _per_day _per_meal _months _weeks _days _hours _mmol _mcg _puffs _tabs % _mmHg _mm _cm _kg _l/min',
)
const SLASH_UNIT = oneOf('_mg _ml _units _mmol _mcg _months _weeks _mm _cm mg ml _mmol/l _ml/h _mg/kg /day % _mmHg')

const hyphenated = text(integer(1, 28), '-', integer(1, 12), '-', padded(10, 40))
const slashed = text(integer(1, 12), '/', integer(1, 12), '/', integer(10, 40))

export const HELD_OUT_CONTROL: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: CLINICAL_PHRASE },
  text(hyphenated, RUN_UNIT),
  text(INSULIN, ' ', hyphenated),
  text(INSULIN, ' ', slashed),
  text(slashed, SLASH_UNIT),
  text(oneOf('viral_load RNA DNA HBV_DNA'), ' ', integer(1_000_000, 9_999_999), oneOf('_copies/ml _IU/ml _copies _IU')),
  text(integer(1, 9), digits(2), '0000', oneOf('_units _IU _U _iu _cfu/ml _/ml _copies/ml _cells _mg _units/day')),
  text(integer(1, 9), digits(6), oneOf('_copies/ml _IU/ml _per_ml _per_mm3 _x10^6 _x_10^6/l _cells/ul _copies_per_ml')),
  text('platelets ', integer(10, 900), '000', oneOf('_ _per_day ,_stable')),
  text(
    oneOf('C5/6 L4/5 L5-S1 C5-6-7 T10-11-12 L3-4-5 L1-L2-L3 C5/C6/C7 T12/L1'),
    oneOf('_disc _fusion _level _M _per_MRI'),
  ),
  text(
    oneOf('GCS_15/15 pain_8/10 MMSE_24/30 4AT_2/12 MoCA_22/30 Apgar_9-10-10 power_5/5'),
    oneOf('_M _L _per_GP _x_2'),
  ),
  text('BP ', integer(90, 200), '/', integer(50, 110), oneOf('_L _R _M _HR_80 _per_GP _x_3')),
  text(oneOf('since until in from'), ' ', integer(1960, 2026), oneOf('_per_GP _x_2 _L_hip _M ,_well')),
  text(oneOf('2 3 5 6 10 12'), oneOf('/7 /52 /12'), oneOf('_x_2 _per_GP _L_knee _M')),
  text('Exforge ', oneOf('5 10'), '/160/25 mg'),
  text(
    oneOf('reviewed_at follow_up_at weaned_over'),
    ' ',
    oneOf('6/12/18 3/6/12 6/12/24 6-12-18 4-8-12'),
    oneOf('_months _weeks _hours'),
  ),
  text(oneOf('born_at born_weighing'), ' ', oneOf('38_weeks 39+4 3250_g 2900_grams 36/40 41_weeks 2_kg')),
  text(oneOf('April Jan Sept dec sep'), ' ', integer(2, 28), oneOf('_mg _ml _kg_loss _mm _falls _episodes %')),
  text(
    oneOf('SOP section guideline_CG181 NG136 BNF version figure'),
    ' ',
    integer(1, 12),
    '.',
    integer(1, 12),
    '.',
    integer(10, 29),
  ),
  text(oneOf('eGFR Hb Na CRP ferritin CK'), ' ', integer(2, 900), oneOf('_L _g/l _ml _x_2 _per_GP _M')),
  text('Walks ', integer(1, 9), digits(3), oneOf('_steps _m _steps_per_day'), ', ', integer(1, 9), '0000 steps a week'),
  text('O2 ', oneOf('2-4-6 2-4 1-2-10 2-4-15'), oneOf('_L/min _l/min _L_via_mask _litres')),
  text('PEFR ', integer(200, 600), '/', integer(200, 600), '/', integer(200, 600), oneOf('_L/min _am')),
)
