// The emulated reader's rules: clinical words in a letter, and the specialty that they mean. Also reads the patient's age group.
// The words are symptoms, findings and treatments, so a letter that only says “cardiology” matches no rule.

export interface ReadingRule {
  /** Published spellings, the preferred one first. The first that is on the caller's list is the answer. */
  adult: readonly string[]
  /** Spellings that are tried before `adult` if the patient is a child. */
  child: readonly string[]
  words: readonly string[]
}

function rule(adult: string[], words: string, child: string[] = []): ReadingRule {
  return { adult, child, words: words.split(',').map((word) => word.trim()) }
}

/** The rules in order of precedence. If two have equally many words in the letter, the earlier one is the answer. */
export const READING_RULES: readonly ReadingRule[] = [
  rule(
    ['Cardiology'],
    'chest pain, tightness across the chest, palpitation, valve, murmur, atrial fibrillation, angina, syncope, heart failure, ecg, echocardiogram',
    ['Paed Cardiology'],
  ),
  rule(['Dermatology'], 'rash, mole, naevus, eczema, psoriasis, acne, skin lesion, itchy skin, urticaria, basal cell', [
    'Paediatric Dermatology',
  ]),
  rule(
    ['Otolaryngology (ENT)'],
    'tonsil, sore throat, hearing, nasal, the nose, sense of smell, glue ear, grommet, nosebleed, epistaxis, hoarse, sinusitis, snoring, tinnitus, otitis, vertigo',
    ['Paediatric ENT'],
  ),
  rule(
    ['Orthopaedics'],
    'knee, limp, hip pain, hip replacement, osteoarthritis, meniscus, shoulder, carpal tunnel, fracture, rotator cuff, bunion, clubfoot, scoliosis',
    ['Paed Orthopaedic'],
  ),
  rule(
    ['Ophthalmology'],
    'cataract, visual, blurred vision, glaucoma, squint, floaters, retina, intraocular, optician, optometrist',
  ),
  rule(
    ['Gastro-Enterology'],
    'dyspepsia, reflux, heartburn, coeliac, crohn, ulcerative colitis, diarrhoea, dysphagia, irritable bowel, calprotectin',
    ['Paed Gastro-Enterol'],
  ),
  rule(
    ['Neurology'],
    'seizure, migraine, headache, tremor, multiple sclerosis, numbness, parkinson, epilepsy, blackout',
    ['Paediatric Neurology'],
  ),
  rule(
    ['Respiratory Medicine'],
    'asthma, copd, breathless, wheeze, cough, spirometry, bronchiectasis, sleep apnoea, inhaler',
    ['Paediatric Respiratory Medicine'],
  ),
  rule(
    ['Urology'],
    'prostate, psa, urinary tract, poor stream, haematuria, renal colic, kidney stone, urinary retention, testicular, nocturia, vasectomy, undescended',
    ['Paediatric Urology'],
  ),
  rule(
    ['Gynaecology'],
    'menorrhagia, heavy periods, pelvic pain, endometriosis, ovarian, fibroid, postmenopausal bleeding, smear, prolapse, polycystic',
  ),
  rule(['Obstetrics'], 'weeks pregnant, antenatal, gestation, booking visit'),
  rule(
    ['Rheumatology'],
    'rheumatoid, joint swelling, swollen hands, swelling of both hands, stiff for, morning stiffness, lupus, gout, psoriatic, anti-ccp, ankylosing, polymyalgia',
  ),
  rule(
    ['Endocrinology', 'Diabetes Mellitus'],
    'thyroid, goitre, hyperthyroidism, graves, pituitary, cortisol, calcium is raised, adrenal, short stature, puberty',
    ['Paed Endocrinology'],
  ),
  rule(
    ['Diabetes Mellitus', 'Endocrinology'],
    'diabetes, type 1 dm, type 2 dm, hba1c, insulin, hypoglycaemia, metformin, glucose',
    ['Paed Endocrinology'],
  ),
  rule(
    ['Haematology'],
    'anaemia, lymphocytosis, thrombocytopenia, myeloma, clotting, neutropenia, haemochromatosis, iron overload, transferrin, ferritin',
    ['Paed Haematology'],
  ),
  rule(
    ['Nephrology'],
    'egfr, ckd, kidneys, chronic kidney, proteinuria, creatinine, dialysis, nephrotic, albumin creatinine',
    ['Paed Nephrology'],
  ),
  rule(['Breast Surgery'], 'breast lump, breast pain, nipple, mammogram'),
  rule(['Vascular Surgery'], 'varicose, veins, claudication, aneurysm, leg ulcer, carotid, ischaemic foot'),
  rule(
    ['General Surgery'],
    'hernia, lump in the right groin, gallstone, pilonidal, haemorrhoid, appendi, lipoma, biliary colic, anal fissure, sebaceous cyst',
    ['Paediatric Surgery'],
  ),
  rule(['Plastic Surgery'], 'scar, thumb, dupuytren, hand laceration, cleft, skin graft, burn contracture'),
  rule(['Maxillo-Facial'], 'jaw, temporomandibular, parotid, salivary'),
  rule(['Dental Surgery', 'Oral Surgery'], 'tooth, teeth, dental, wisdom'),
  rule(['Neurosurgery'], 'sciatica, cauda equina, disc prolapse, meningioma, hydrocephalus, spinal stenosis', [
    'Paediatric Neurosurgery',
  ]),
  rule(
    ['Psychiatry'],
    'depression, low mood, anxiety, psychosis, bipolar, suicidal, hallucination, schizophrenia, self-harm',
    ['Child/Adolescent Psychiatry'],
  ),
  rule(['Geriatric Medicine'], 'falls, frailty, memory loss, dementia, confusion, cognitive decline, care home'),
  rule(
    ['Infectious Diseases'],
    'hiv positive, tuberculosis, returned from travel, malaria, lyme, fever of unknown origin',
    ['Paediatric Infectious Diseases'],
  ),
  rule(['Oncology'], 'chemotherapy, metastatic, carcinoma, staging scan', ['Paed Oncology']),
  rule(['Radiotherapy'], 'radiotherapy, brachytherapy'),
  rule(['Cardio-Thoracic Surgery'], 'bypass graft, valve replacement, lobectomy, pectus'),
  rule(['Hepato-Biliary Surgery', 'Gastro-Intestinal Surgery'], 'liver lesion, pancreatic mass, bile duct'),
  rule(['Gastro-Intestinal Surgery', 'General Surgery'], 'colorectal, bariatric, rectal mass, stoma'),
  rule(
    ['Immunology', 'Clinical Immunology'],
    'anaphylaxis, hives, food allergy, immunodeficiency, angioedema, recurrent infections',
  ),
  rule(['Clinical (Medical) Genetics'], 'brca, genetic test, family history of cancer, chromosom, hereditary'),
  rule(['Pain Relief'], 'chronic pain, nerve block, fibromyalgia, opioid, neuropathic pain'),
  rule(['Metabolic Medicine'], 'phenylketonuria, lipid disorder, homocystinuria', ['Paed Metabolic Medicine']),
  rule(['Rehabilitation Medicine'], 'after a stroke, spinal injury, amputee, brain injury, prosthesis'),
  rule(['Palliative Medicine'], 'end of life, palliative, hospice'),
  rule(['Developmental Paediatrics', 'Paediatrics'], 'speech delay, developmental delay, autism, not yet walking', [
    'Developmental Paediatrics',
  ]),
  rule(['Paediatrics'], 'failure to thrive, bedwetting, bed-wetting, poor weight gain, feeding difficulties', [
    'Paediatrics',
  ]),
  rule(['General Medicine'], 'weight loss, tired all the time, fatigue, night sweats, hypertension'),
]

/** The specialty for a child if the list has no better entry. */
export const CHILD_FALLBACK = 'Paediatrics'

const NUMBER_WORDS = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'.split(
  ' ',
)
const AMOUNT = `(\\d{1,3}|${NUMBER_WORDS.join('|')})`
// "54 year old", "aged 6", "15 y/o", "male, 66 yrs"
const AGE_IN_YEARS = new RegExp(
  `\\b${AMOUNT}[ -]?(?:years?|yrs?)[ -]old\\b|\\baged? ${AMOUNT}\\b|\\b(\\d{1,3}) ?y/?o\\b|\\b(?:fe)?male,? (\\d{1,3}) ?yrs?\\b`,
  'i',
)
const AGE_BELOW_YEARS = new RegExp(`\\b(?:${AMOUNT}|several|few)[ -](?:day|week|month)s?[ -]old\\b`, 'i')
const CHILD_WORDS =
  /\b(?:baby|infant|newborn|neonate|toddler|child|boy|girl|schoolboy|schoolgirl|schoolchild|teenager)\b/i
const ADULT_WORDS = /\b(?:man|woman|gentleman|lady|retired|pensioner|farmer|widow|widower|wife|husband|adult)\b/i

/** Returns the age group. The publisher counts 0 to 15 as Child. Stated ages count before words; null if there are neither. */
export function readAgeGroup(letter: string): 'Adult' | 'Child' | null {
  if (AGE_BELOW_YEARS.test(letter)) return 'Child'
  const age = AGE_IN_YEARS.exec(letter)
  const amount = age?.slice(1).find((group) => group !== undefined)
  if (amount !== undefined) return yearsOf(amount) < 16 ? 'Child' : 'Adult'
  if (CHILD_WORDS.test(letter)) return 'Child'
  return ADULT_WORDS.test(letter) ? 'Adult' : null
}

function yearsOf(amount: string): number {
  const word = NUMBER_WORDS.indexOf(amount.toLowerCase())
  return word >= 0 ? word + 1 : Number(amount)
}
