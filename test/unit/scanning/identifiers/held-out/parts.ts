// Pieces that generated texts are put together from.
import fc from 'fast-check'

export type Piece = string | fc.Arbitrary<string | number>

export const integer = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max })
export const padded = (min: number, max: number): fc.Arbitrary<string> =>
  integer(min, max).map((value) => String(value).padStart(2, '0'))
export const digits = (length: number): fc.Arbitrary<string> =>
  fc.array(fc.nat(9), { minLength: length, maxLength: length }).map((each) => each.join(''))
/** One of the words of `list`, which blanks part; `_` stands for a blank inside one, `|` for a line end. */
export const oneOf = (list: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    ...list
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll('_', ' ').replaceAll('|', '\n')),
  )
export const text = (...pieces: Piece[]): fc.Arbitrary<string> =>
  fc
    .tuple(...pieces.map((piece) => (typeof piece === 'string' ? fc.constant(piece) : piece)))
    .map((each) => each.join(''))

/** After anything. */
const REMARKS = `
  _per_ED _per_GP _per_wife _per_daughter _per_letter _per_PDS _per_notes _per_pt _x_3_attempts _x_2 _x_10_calls
  _M _F _L _R _D _G _V _X _S _A _HR_80 _OD_cataract _CC:_GP _cc_GP _MS_clinic _MM_clinic _MG_clinic _NG_tube _DS _DB
  _MA _FT _PM _AM _IT _L_knee_OA _R_hip _L_THR _l_hip _m _f _l_knee _d/w_radiology _c/o_pain _u/s_abdo _w/_wife _s/b_reg
  _h/o_IHD _k/c_asthma _g/c_fine _T2DM _unit_4 _Unit _ward_3 _Day_ward _Day_3_post_op _week_2 _night_staff _pen_allergy
  _patch_test _drop_attack _cap_refill_2_s _calcium_fine _dose_given _cycle_2 _second_opinion _copies_to_GP _copied_to_GP
  _cell_phone_off _Fr_Murphy _percentile_chart _yes _no _and _on _at _in _she_fell _he_is_well _was_seen _ok _(home)
  _/_F _-_F ,_M ;_F . , ; ) ? |Plan_as_above |M |per_GP /F _/wife _DNA _NAD _Hz_loss _Gy_clinic _mot_due
  _MDT_minutes _amp_stump _od_cataract _film`

/** Before any number that has no label of its own: the last word of what came before, with its mark. */
const LEADS = `
  _ Re:_John_Byrne_ seen_ her_ Mr._Keating_ Ms_Niamh_Manning_ Rita_ this_morning_ ECG_ X-ray_ pt_ see_file, in_clinic;_
  (_ "_ known_to_ED,_ Care_Unit_on_ HCT,_ Dialysis_Unit_ insulin_since_2019,_ bloods,_ glucose,_ dose_on_ CABG_ THR_
  scan_ reviewing_ Sign_ conversion_ rescan_ cta_ guideline,_ cramp_ proprietary_ per_GP_ -_ *_ •_ ||`

export const AFTER: fc.Arbitrary<string> = oneOf(REMARKS)
export const BEFORE: fc.Arbitrary<string> = oneOf(LEADS).map((lead) => (lead === ' ' ? '' : lead))
