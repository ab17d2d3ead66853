// Reads the fixture files: texts that must pass, and texts with [[ ]] around what must be found.
import type { IdentifierShape } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { readMarks, textsOfFile, type MarkedText } from '../../../support/marked-text.ts'
import chiNumbers from '../../../fixtures/guard/refuse/chi_number.txt?raw'
import dates from '../../../fixtures/guard/refuse/date.txt?raw'
import datesOfBirth from '../../../fixtures/guard/refuse/date_of_birth.txt?raw'
import eircodes from '../../../fixtures/guard/refuse/eircode.txt?raw'
import emailAddresses from '../../../fixtures/guard/refuse/email_address.txt?raw'
import healthAndCareNumbers from '../../../fixtures/guard/refuse/health_and_care_number.txt?raw'
import recordNumbers from '../../../fixtures/guard/refuse/hospital_record_number.txt?raw'
import nhsNumbers from '../../../fixtures/guard/refuse/nhs_number.txt?raw'
import phoneNumbers from '../../../fixtures/guard/refuse/phone_number.txt?raw'
import ppsNumbers from '../../../fixtures/guard/refuse/pps_number.txt?raw'
import ukPostcodes from '../../../fixtures/guard/refuse/uk_postcode.txt?raw'
import clinics from '../../../fixtures/guard/pass/clinics-and-discharges.txt?raw'
import codes from '../../../fixtures/guard/pass/codes-and-counts.txt?raw'
import eyes from '../../../fixtures/guard/pass/eyes-and-ent.txt?raw'
import referrals from '../../../fixtures/guard/pass/gp-referrals.txt?raw'
import imaging from '../../../fixtures/guard/pass/imaging.txt?raw'
import letters from '../../../fixtures/guard/pass/letters.txt?raw'
import lookAlikes from '../../../fixtures/guard/pass/look-alikes.txt?raw'
import medicines from '../../../fixtures/guard/pass/medicines.txt?raw'
import obstetrics from '../../../fixtures/guard/pass/obstetrics-and-children.txt?raw'
import results from '../../../fixtures/guard/pass/results.txt?raw'
import specialties from '../../../fixtures/guard/pass/specialties.txt?raw'

const REFUSED: Record<IdentifierShape, string> = {
  pps_number: ppsNumbers,
  eircode: eircodes,
  date: dates,
  date_of_birth: datesOfBirth,
  phone_number: phoneNumbers,
  nhs_number: nhsNumbers,
  chi_number: chiNumbers,
  health_and_care_number: healthAndCareNumbers,
  email_address: emailAddresses,
  uk_postcode: ukPostcodes,
  hospital_record_number: recordNumbers,
}

const PASSING = [
  clinics,
  codes,
  eyes,
  referrals,
  imaging,
  letters,
  lookAlikes,
  medicines,
  obstetrics,
  results,
  specialties,
]

export const CLINICAL_TEXTS: readonly string[] = PASSING.flatMap(textsOfFile)

export const markedTexts = (shape: IdentifierShape): MarkedText[] => textsOfFile(REFUSED[shape]).map(readMarks)
