// Three numbers in a row that are doses (breakfast, lunch, evening) or a section of a document, by the word before them.

/** Not `unit`, which is also a ward: "Care Unit 14/11/24". */
const DOSED =
  'insulins?|lantus|novorapid|novo ?mix(?: ?\\d+)?|humalog(?: ?mix ?\\d+)?|humulin(?: ?[a-z]\\d?)?|levemir|tresiba|toujeo|actrapid|apidra|fiasp|abasaglar|insulatard|hypurin|semglee|lyumjev|trurapi|admelog|ryzodeg|glargine|detemir|degludec|aspart|lispro|insuman|' +
  'basal|bolus|mix ?\\d+|doses?|dosing|dosage|units|regimen|regime|schedule|taper(?:ing)?|reducing|sinemet|madopar|stalevo|levodopa|prednisolone|pred|steroids?|morphine|titrat(?:e|ed|ion)|apgars?|scores?|sutures?|cycles?|ratios?|fasting|hct|plus|dilutions?|mixtures?|steps?|levels?|tit(?:re|er)s?|troughs?|volumes|weights|counts|readings?|bms?|glucose|thresholds?|audiogram|peak flows?|power|reps?|sets?'
/** Not `on` nor a comma: a date may follow those whatever was spoken of before ("HCT, 10/18/95"). */
const FILLER =
  'now|currently|at|of|is|was|are|dose|doses|units|regimen|regime|to|from|with|the|a|approx|about|usual|usually|still|takes|taking|using|bd|tds|qds|od|daily|and|were|been|around|s'
const DOSE_BEFORE = new RegExp(
  `(?:^|[^a-z])(?:${DOSED})(?:[ \\n:=()~\\-]{1,3}(?:${FILLER})(?![a-z])){0,4}[ \\n:=()~\\-]{0,3}$`,
  'i',
)
/** One of them has a day and not three figures: "last dose 12/3/25". */
const ONE_BEFORE =
  /(?<![a-z])(?:last|next|first|second|third|final|previous) (?:dose|cycle|level|titration)(?: (?:was|is|given|due))?[ \n:=(-]{0,3}$/i
/** "BMs 10-12-14 fasting, 8-9-10 post": one run of figures after another. */
const RUN_BEFORE = new RegExp(`\\d-\\d{1,2}-\\d{1,2} (?:${DOSED}), $`, 'i')
const SECTION_BEFORE =
  /(?<![a-z])(?:section|sections|version|ver|v|rev(?:ision)?|para(?:graph)?|part|chapter|guideline|guidance|recommendation|rec|rule|item|appendix|table|figure|fig|release|software|firmware|build|bnf|(?:ng|cg|ta|qs|ipg) ?\d*|(?:ph|sign) ?\d+|protocol|policy|sop|standard|criterion|pathway|step|outcome|question|\u00a7|see)(?:[ :#(.]{0,2})(?:\d+\.\d+(?:\.\d+)?(?:,| and| to|-)? ?)?$/i

export function isAfterDoseWord(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 60), start)
  return (DOSE_BEFORE.test(before) && !ONE_BEFORE.test(before)) || RUN_BEFORE.test(before)
}

export function isAfterSectionWord(text: string, start: number): boolean {
  return SECTION_BEFORE.test(text.slice(Math.max(0, start - 30), start))
}
