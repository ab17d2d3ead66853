// Decides whether a number in a letter is a code, a serial number or a count. Such a number identifies no person.

const CODE_BEFORE =
  /(?<![a-z])(?:snomed(?:[ -]?ct)?|sct(?:id)?|concept|ctv3|dm\+d|read code|clinical code|emis code|opcs|icd(?:-?1[01])?|loinc|atc|pmid|pmcid|doi|isbn|issn|nct|isrctn|eudract|iras|ukcrn|clinicaltrials(?:\.gov)?|trial|gtin|ean|pip|udi|batch|lot|serial|s\/n|catalogue|model|fda|ce|omim|mim(?= ?[#*])|clinvar(?: variation)?|dbsnp|genbank|refseq|ensembl|uniprot(?:kb)?|hgnc|cosmic|entrez(?: gene)?|gisaid|orpha(?:net)?|(?:product|item|stock|part|supplier|supply chain|re-?order|order) codes?|(?:product|part)(?= ?(?:nos?|numbers?|ref)))(?: ?(?:codes?|ids?|identifiers?|nos?|numbers?|ref(?:erence)?|#))?[ \n:.#=(|,*-]{0,4}(?:is |are )?$/i
/**
 * Matches what is before a place in a genome: "chr17:", "NC_000017.11:g.", "22q11.21(18844632_". The first number of a range may be
 * before it too.
 */
const GENOME_BEFORE =
  /(?<![a-z\d])(?:chr(?:\d{1,2}|[xym]):(?:g\.)?|(?:grch3[78]|hg(?:18|19|38)|gnomad)\]?[ :](?:\d{1,2}|[xy])[:-]|g\.|(?:\d{1,2}|[xy])[pq]\d{1,2}(?:\.\d{1,3})?(?:[pq]\d{1,2}(?:\.\d{1,3})?)?\()(?:\d{4,9}[_-])?$|(?<![a-z])epi_isl_$/i
const REFSEQ_BEFORE = /(?<![a-z])[nx][mrpgctw]_$/i
const RS_BEFORE = /(?<![A-Za-z])rs $/
/** Numbers with the letters of a public database: "rs1801133", "VCV000017661". In capitals, RS may be a hospital's letters. */
const PUBLIC_NUMBER = /^(?:rs\d{6,10}|(?:[VRS]CV|[vrs]cv)0\d{8})$/
/** Terms of ontologies: "HP:0001250". HP is also a home phone, whose number does not begin with two zeros. */
const ONTOLOGY_BEFORE = /(?<![a-z])(?:hp|go|mondo|doid):$/i
/**
 * Matches one more code of a list, with its term: "267036007 dyspnoea, ". It matches backwards from the end, because a search for
 * the beginning would try every digit.
 */
const LISTED_CODE = /(?<=([a-z]{0,2}\d{6,18}(?: ?\|[^|\n]{0,60}\|)?(?: [a-z][a-z ]{0,60})?[ ,;/&]{1,3}(?:and )?))/iy
const LISTED_MAX = 6
const COUNT_BEFORE =
  /(?:load|copies|count|rbc|red cells?|rna|dna|platelets|plts?|wcc|wbc|leucocytes|leukocytes|cfu|colonies|hcg|bhcg|cells|penicillin|benzathine|heparin|units?|iu|cost(?:s|ing)?|population|one in|1 in|about|approximately|approx|over|under|than|>|<)[^.;\n\d]{0,24}$/i

const NO_PRODUCT =
  '(?:clinic|check|patient|pt|chart|mrn|hosp|record|ref|case|seen|review|id|file|under|known|dr|mr|ms|her|his|for|at|in|on|and|with|tel|ph)(?![a-z])'
const DEVICE =
  'device|implants?|implanted|prosthesis|pacemakers?|ppm|aicd|crt-?[dp]|defibrillator|loop recorder|ilr|leads?|electrode|generator|stimulator|' +
  'pump|stent|valve|graft|mesh|lens|iol|shunt|coil|filter|cage|stem|liner|cup|screw|plate|hearing aid|processor|concentrator|ventilator|monitor|glucometer|' +
  `(?:medtronic|boston scientific|abbott|biotronik|st\\.? jude|microport|cochlear|zimmer|stryker|depuy|edwards|alcon)(?: (?!${NO_PRODUCT})[a-z]{2,14}){0,3}`
const NAME_OF_NUMBER = '(?:serial|nos?|numbers?|nr|ids?|identifiers?|codes?|ref(?:erence)?|model|barcode|s/n)(?![a-z])'
/** Matches "serial no. ", "lot ", "pacemaker ID: ", "Medtronic Azure ": no line and no sentence ends before the number. */
const THING_BEFORE = new RegExp(
  `(?<![a-z])(?:(?:serials?|s/n|sn(?=[:#.]| ?no)|lots?|batch(?:es)?|udi(?:-[dp]i)?|gtin|catalogue)|(?:${DEVICE})(?:'s)?)` +
    `(?:[ :(,-]{1,2}${NAME_OF_NUMBER}\\.?){0,3}[ :#=(]{0,3}(?:(?:is|was|are) )?$`,
  'i',
)
/** Matches a serial number that is said to be a person's: "patient serial no.", "his serial number". */
const PERSON_BEFORE =
  /(?<![a-z])(?:patient|pt|client|resident|member|person|child|baby|mother|hospital|chart|mrn|his|her|their|your|my)(?:'s)?[ -](?:serial|s\/n|sn|model|lot|batch|product|item|stock|part|supplier|re-?order|order)(?![a-z])[ .:#=(,a-z-]{0,24}$/i

/** Returns true if the words before the number say that it is a device's or batch's. */
export function isDeviceOrBatchNumber(text: string, start: number): boolean {
  // The "(01)" before the fourteen digits of a device looks like an area code in brackets.
  const isField = text.charAt(start - 1) === ')' && /^\(01\)\d{14}(?!\d)/.test(text.slice(start - 4, start + 15))
  const end = isField ? start - 4 : start
  // Most numbers follow no word.
  if (!/[A-Za-z]\.?[ :#=(]{0,4}$/.test(text.slice(Math.max(0, end - 6), end))) return false
  const before = text.slice(Math.max(0, end - 64), end)
  return THING_BEFORE.test(before) && !PERSON_BEFORE.test(before)
}

/** Matches what is before pages or a parameter: "2009;89(2):", "pp.aspx?c=8qKO&b=". */
const CITATION_BEFORE = /\d\(\d{1,4}\):$|[?&][a-z]=$/i

/** Returns true for the pages of a journal and for a parameter of an address with a name of one letter. */
export const isPagesOrParameter = (text: string, start: number): boolean =>
  /[:=]/.test(text.charAt(start - 1)) && CITATION_BEFORE.test(text.slice(Math.max(0, start - 8), start))

export function isCodeOrReference(text: string, start: number, digits = ''): boolean {
  const before = text.slice(Math.max(0, start - 90), start)
  // Every name has a letter, and a row of digits has none. This test is much cheaper than the tests for the names.
  const hasLetter = /[a-z]/i.test(before)
  if (hasLetter && isNamedAsCode(before)) return !PERSON_BEFORE.test(before)
  if (hasLetter && isDeviceOrBatchNumber(text, start)) return true
  if (isPagesOrParameter(text, start)) return true
  if ((hasLetter || /^[a-z]/i.test(digits)) && isPublicNumber(before, digits)) return true
  if (hasLetter && isSnomedConcept(digits) && isAfterTerm(before)) return true
  // A term before its code in brackets, or after it between bars: "Hypertension (38341003)", "38341003 |Hypertension|".
  const after = text.slice(start + digits.length, start + digits.length + 3)
  if (
    /^ ?\|/.test(after) ||
    (/(?:[a-z]|(?:stage|grade|type|class) \d[a-c]?) ?[([]$/i.test(before) && /^[)\]]/.test(after))
  )
    return isSnomedConcept(digits)
  return hasLetter && /(?:https?:|doi|www\.)[^ \n]*$/i.test(before)
}

/**
 * What ends a term: a diagnosis, a finding, a procedure, a product. One hospital number in 500 has the form and the check digit of
 * a SNOMED CT concept, so one of these words must be right before the code too, and not a name or the word of a record.
 */
const TERM_WORD =
  /(?:itis|osis|aemia|[a-z]{4}emia|[a-z]{4}oma|pathy|[a-z]{3}uria|algia|ectomy|plasty|scopy|otomy|ostomy|plegia|paresis|phagia|pnoea|rrhoea|rrhage|trophy|iasis|lepsy|ectasis|trexia|phobia|megaly|penia|philia|sclerosis|stenosis|plasia|pexy|desis|[a-z]{4}cele|[a-z]{4}cardia|[a-z]{4}lysis|[a-z]{5}gram|graphy|metry|aesthesia|kinesia|phasia|ptysis|emesis|[a-z]{2}therapy|^therapy|thyroid(?:ism)?)$|^(?:lipoma|glioma|myoma|anuria|anemia|uremia|(?:hypo)?mania|infarct(?:ion)?|hypertension|hypotension|diabetes|mellitus|asthma|copd|disease|disorder|syndrome|failure|fracture|sprain|pain|ache|headache|migraine|cancer|carcinoma|malignancy|neoplasm|tumou?r|infection|sepsis|influenza|covid-19|depression|depressive|anxiety|angina|stroke|tia|epilepsy|seizures?|eczema|psoriasis|acne|rash|urticaria|gout|dementia|fibrillation|flutter|insufficiency|regurgitation|hernia|ulcer|reflux|gerd|gord|obesity|overweight|smoker|cough|fever|nausea|vomiting|diarrhoea|constipation|fatigue|tiredness|vertigo|dizziness|syncope|oedema|swelling|lump|cyst|polyps?|calculus|injury|laceration|wound|burn|allergy|intolerance|hypothyroidism|hyperthyroidism|hyperlipidaemia|hypercholesterolaemia|pregnancy|menopause|menorrhagia|incontinence|retention|deformity|defect|abnormality|finding|procedure|situation|product|tablets?|capsules?|cream|ointment|inhalers?|solution|suspension|drops|injection|patch(?:es)?|sachets?|spray|gel|lotion|pessar(?:y|ies)|suppositor(?:y|ies)|syrup|elixir|granules|powder|liquid|vaccin(?:e|ation)|immunisation|tobacco|(?:ex|non|never|current)-smokers?|smok(?:ing|ers)|vap(?:er|ing)|alcohol|drinker|intake|misuse|abuse|dependen(?:ce|cy)|addiction|withdrawal|overdose|poisoning|ideation|(?:self-)?harm|suicide|schizophrenia|bipolar|autism|adhd|asd|ocd|ptsd|insomnia|anorexia|bulimia|nervosa|stress|burnout|delirium|confusion|impairment|disabilit(?:y|ies)|delay|dyslexia|dyspraxia|palsy|ataxia|tremor|(?:deaf|numb|weak|stiff|breathless|hoarse|drowsi|sick|ill|blind|sore|tender|short)ness|spasm|cramps?|sciatica|whiplash|rupture|dislocation|bunions?|prolapse|degeneration|dysfunction|dyspepsia|heartburn|indigestion|bloating|jaundice|gallstones|ibs|ibd|ha?emorrhoids?|fissure|fistula|abscess|bleed(?:ing)?|melaena|bruising|embol(?:ism|us)|thrombus|varices|veins|aneurysm|murmur|palpitations?|arrest|arrhythmia|ectopics|intervention|bypass|graft|pneumonia|pneumothorax|effusion|wheez(?:e|ing)|sputum|croup|snoring|cataracts?|squint|nystagmus|floaters|detachment|myopia|astigmatism|tinnitus|loss|media|externa|epistaxis|lesions?|ulcers|na?ev(?:us|i)|warts?|verrucas?|zoster|shingles|herpes|simplex|chickenpox|varicella|measles|mumps|rubella|hiv|tb|malaria|mrsa|scabies|impetigo|tinea|pedis|candida|thrush|alopecia|vitiligo|rosacea|pruritus|itch(?:ing)?|sweats|sweating|contraception|contraceptive|sterilisation|smear|miscarriage|infertility|breastfeeding|nocturia|enuresis|frequency|torsion|goitre|nodules?|prediabetes|deficiency|trait|metastas[ei]s|recurrence|transplant(?:ation)?|replacement|resection|excision|biopsy|amputation|transfusion|ablation|cardioversion|ultrasound|prematurity|colic|anomaly|malformation|pressure|weight|height|rate|pulse|temperature|saturations?|flow|ratio|creatinine|cholesterol|triglycerides|glucose|hba1c|egfr|ha?emoglobin|ferritin|platelets|urea|sodium|potassium|calcium|albumin|bilirubin|tsh|psa|crp|esr|inr|urate|folate|enzymes|antibod(?:y|ies)|circumference|acuity|history|falls?|collapse|blackouts?|faint(?:ing)?|frailty|housebound|reaction|fractures|enlargement|instability|contracture|immunization)$/i
const OTHER_WORD =
  /(?<![a-z])(?:patient|pt|chart|mrn|hrn|hosp(?:ital)?|clinic|ward|unit|record|file|ref(?:erence)?|case|number|no|id|name|him|her|he|she)(?![a-z])/
/** Matches a label right before the term, or one of the surest a few words before. The number is its value: "MRN asthma 22298006". */
const LABEL_BEFORE_TERM =
  /(?<![a-z])(?:(?:patient|pt|chart|hosp(?:ital)?|clinic|ward|unit|record|file|ref(?:erence)?|case|number|nos?(?=[.:])|id|name|mr|mrs|ms|miss|dr|master)[ :.#=(,-]{1,4}|(?:m\.?r\.?n|h\.?c?r\.?n|chart|id|hosp(?:ital)? (?:no|number)|tel(?:ephone)?|ph(?:one)?|mob(?:ile)?|nhs|chi|ppsn?|d\.?o\.?b)s?[ :.#=(-]{1,4}[a-z0-9 -]{0,32})$/i
/** What a term can be of or in: "fracture of neck of femur". A name is none: "cough of john". */
const SITE =
  /^(?:head|skull|brain|face|eyes?|eyelid|ears?|nose|mouth|tongue|lip|jaw|mandible|tooth|teeth|throat|larynx|pharynx|oesophagus|thyroid|neck|spine|back|vertebra|chest|ribs?|sternum|clavicle|breasts?|lungs?|heart|aorta|valve|arter(?:y|ies)|veins?|vessels?|shoulder|scapula|arms?|humerus|elbow|forearm|radius|ulna|wrist|scaphoid|hands?|fingers?|thumb|abdomen|stomach|liver|gallbladder|pancreas|spleen|bowel|intestine|duodenum|colon|caecum|appendix|rectum|anus|groin|kidneys?|ureter|bladder|urethra|prostate|testis|testes|penis|uterus|cervix|ovar(?:y|ies)|vagina|vulva|pelvis|hips?|thigh|femur|knees?|patella|legs?|tibia|fibula|ankle|malleolus|foot|feet|heel|calcaneus|toes?|muscles?|tendon|ligament|joints?|bones?|nerves?|skin|scalp|nails?|blood|lymph|nodes?|limbs?|remission|childhood|adults?|labour|breath|consciousness|memory|hearing|vision|smell|taste|balance|appetite|libido|hair|weight)$/
/** Matches the kind of term or the maker in brackets, then a blank or mark: " (disorder) ", ": ". */
const BEFORE_CODE =
  '(?: \\((?:disorder|finding|procedure|situation|event|product|substance|organism|observable entity|morphologic abnormality|regime/therapy|' +
  "[A-Za-z][A-Za-z0-9 &.'-]{2,40} (?:[Ll]td|[Ll]imited|[Pp]lc))\\)(?: (?=\\())?)?(?:[ :(,-]|: | - )$"
/** A term before its code: "Fracture of neck of femur 5913000". What follows "of" is in small letters. */
const TERM_BEFORE = new RegExp(
  `([A-Za-z][A-Za-z0-9-]*)((?: (?:of|in|to|due to) [a-z][a-z ]{0,40}| (?:[RLrl]|right|left) [a-z][a-z ]{0,24}| (?:annual )?review)?)${BEFORE_CODE}`,
)
/** A term may end with a product's strength, a stage or words that alone may be a name: "Paracetamol 500mg", "Kidney stone". */
const PHRASE_BEFORE = new RegExp(
  '(?:(?<=[a-z] )\\d{1,4}(?:\\.\\d{1,3})? ?(?:mg|mcg|micrograms?|g|units|%)(?:/[a-z0-9.]{1,8})?|(?<![a-z])(?:(?:stage|grade|type|class) ' +
    '(?:\\d[a-c]?|i{1,3}|iv|v)|hepatitis [a-e]|(?:kidney|renal|bladder|ureteric) stones?|(?:muscle|back|neck) strain|ear wax|body mass index|' +
    "(?:tobacco|drug|wheelchair) user|(?:tennis|golfer's) elbow|frozen shoulder|sore throat|(?:diabetic|club) foot|fatty liver|" +
    "barrett's oesophagus|ca?esarean section|(?:heart|av|bundle branch) block|in situ|(?:medication|annual) review|chest x-ray))" +
    BEFORE_CODE,
  'i',
)

function isAfterTerm(before: string): boolean {
  const phrase = PHRASE_BEFORE.exec(before)
  if (phrase !== null) return !LABEL_BEFORE_TERM.test(before.slice(0, phrase.index))
  const term = TERM_BEFORE.exec(before)
  const [, word = '', rest = ''] = term ?? []
  if (OTHER_WORD.test(rest) || LABEL_BEFORE_TERM.test(before.slice(0, term?.index))) return false
  if (/^ (?:of|in|[RLrl]|right|left) /.test(rest)) {
    const last = rest.slice(rest.lastIndexOf(' ') + 1)
    if (!SITE.test(last) && !TERM_WORD.test(last)) return false
  }
  return TERM_WORD.test(word)
}

/** Returns true if the name of a coding system is right before the number, or before its list of codes. */
function isNamedAsCode(before: string): boolean {
  let rest = before
  for (let listed = 0; listed <= LISTED_MAX; listed += 1) {
    if (CODE_BEFORE.test(rest)) return true
    LISTED_CODE.lastIndex = rest.length
    const [, code] = LISTED_CODE.exec(rest) ?? []
    if (code === undefined || OTHER_WORD.test(code.toLowerCase())) return false
    rest = rest.slice(0, -code.length)
  }
  return false
}

/** Returns true for a variant, a gene or a term of a public database, unless a label such as MRN is right before it. */
export function isPublicNumber(before: string, number: string): boolean {
  if (GENOME_BEFORE.test(before)) return true
  if (/^00\d{5}$/.test(number)) return ONTOLOGY_BEFORE.test(before)
  if (/^0\d{8}$/.test(number)) return REFSEQ_BEFORE.test(before)
  const isApart = RS_BEFORE.test(before)
  if (!isApart && !PUBLIC_NUMBER.test(number)) return false
  return !LABEL_BEFORE_TERM.test(isApart ? before.slice(0, -3) : before)
}

/** Returns true for a round number after a word that counts: "viral load 1200000". */
export const isRoundCount = (text: string, start: number, digits: string): boolean =>
  digits.endsWith('0000') && COUNT_BEFORE.test(text.slice(Math.max(0, start - 60), start))

const DIHEDRAL = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
]
const PERMUTATION = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
]

/** Returns true for a SNOMED CT concept: its identifier ends in a partition (00 or 10) and a Verhoeff check digit. */
export function isSnomedConcept(digits: string): boolean {
  if (!/^[1-9]\d{3,14}[01]0\d$/.test(digits)) return false
  let check = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - place))
    const permuted = Number(PERMUTATION[place % 8]?.charAt(digit))
    check = Number(DIHEDRAL[check]?.charAt(permuted))
  }
  return check === 0
}
