// No text makes the guard slow: stretches that start every pattern and finish none, far longer than a letter may be.
import { describe, expect, it } from 'vitest'
import { findIdentifiers } from '../../../../src/scanning/identifiers/find-identifiers.ts'

/** Ten times the length that the service accepts. At quadratic cost one of these would take minutes. */
const LENGTH = 40_000

/** One beginning a line, by what it starts; `_` stands for a blank. */
const BEGINNINGS = {
  figures:
    '1 1_ 0 01_ 0_8_7_ 12/ 12_12_ 9- 1. 1, 1-1-10_ 123_456_ 943_476_591 12345678_ (0 ( + +353_ 353_ 1| 1234567| 813-842-0027x',
  letters: 'a A Oo lI OO_ O1 O1_ S5_ 5S l_ | - / "',
  addresses:
    'a@ a. "a xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx@ _at_ [at] x_dot_ x_at_y_dot_ x_at_y. x_-at-_y_._ https://a',
  labels:
    'PPS_ PPSN_no_is_ NHS_ NHS_no_is_ H_&_C_ CHI_ tel_ tel_for_ call_her_at_ MRN_ MRN_no_ chart_( our_ref_ case_notes:_ serial_ serial_no._1234567_ pacemaker_ NOK_a_ home_ work:_ NIMIS_12_ MRNs_12345_ MRN_(_ MRN_(old_ MRN_no_(old)_ RVH_123_ Mater_123456_ mater_hospital_ MRN=== MRN_{_ MRN=-=- MRN_._._ DOB=== DOB_{" LTI_book_ NHI_ABC12 b_1954_ 1962_DOB_ uimhir_ card_4_ ' +
    'hospital_number_one_was_ no._1234 DOB_ DOB_( born_ born_a_ born_in_1',
  dates:
    '7/7._May_ 2nd_inst_ Jan_ 12_Jan_ march_ Monday_ Monday_1 seen_on_the_ on_1 seen_on_1/2_ admitted_14/3, 1/2_ 1/2- seen_ seen_in_clinic_ niv_on_14/6_ dated_120324_ 20 2020_ 19 christmas_ 12: in_5/92_ on_9/17_ 1/1/1/ may_first_ one_may_',
  places: 'D_0_2X A96_R_ BT_7_ T12_ D02_ D_0_2_X_ D02/X/ C15_T1N1_ SW1A_ b_19 GIR_ T1_N1_',
  contexts:
    'pain_of_a_22298006_ MRN_asthma_22298006_ SNOMED_123456_ SNOMED_1234567_a_ insulin_at_ insulin_is_1-1-1 section_1.1_ 500_ ' +
    'chr1:1234567_ 1q1(1234567_ rs_1234567_ born_1st_ product_codes_1234567,_ Kidney_stone_22298006_ 1-123456IU_',
  words: 'one_ twenty_ nineteen_ twenty_first_of_ double_ two_thousand_and_ MRN_one_two_three_four_ MRN_one_',
  references: '& &# &#49; &#x31; &nbsp; %41 %ff \\u0031 \\u{',
  markup:
    '< <a <a_" <a_\'<a_" <!-- <!--[if_ <!--[if_]> <? <b>1</b> <td>1</td> <mrn>1</mrn> <a_title=1_ <a_title=1> <x_y="1"> <img_src="data:image/ <style>"aaaa <span>1</span><span> &lt;b&gt;1 {\\rtf1_ {\\rtf1\\b_1 {\\pict_ \\\'31 \\.br\\1 \\.br\\\\X31 =C3=A9 =\n1 =3D =3D" **1** *1',
  characters: '_ \n _\n \t é e\u{301} 1\u{301} \u{301} \u{200b} ½ ﷺ 🏴 \u{e0031} \u{dc00} \u{202e}1 \u{202e}',
}

describe.each(Object.entries(BEGINNINGS))('repeated %s', (_, beginnings) => {
  it.each(beginnings.split(' ').map((beginning) => beginning.replaceAll('_', ' ')))(
    '%j are read in time',
    (beginning) => {
      const text = beginning.repeat(Math.ceil(LENGTH / beginning.length)).slice(0, LENGTH)
      expect(findIdentifiers(text).length).toBeLessThanOrEqual(LENGTH)
      expect(findIdentifiers(`${text}1 943 476 5919x`).length).toBeLessThanOrEqual(LENGTH)
    },
  )
})
