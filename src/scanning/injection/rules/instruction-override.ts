// Prompt injection rule: the text tells the model to drop its instructions, which is the first step of most attacks.
import { gap, gapWithout, splitList, oneOf, phrase, phrases, type InjectionRule } from './injection-rule.ts'

const OBEY = ['follow', 'following', 'obey', 'obeying', 'heed', 'listen to', 'comply with', 'adhere to']
const NOT = ['do not', 'dont', 'never', 'no longer', 'stop', 'must not', 'need not', 'should not']
const TURN_AWAY = [
  ...splitList('ignore, ignoring, disregard, disregarding, forget, overlook, bypass, override, neglect'),
  ...splitList('skip, discard, dismiss, abandon, cancel, erase, drop, delete'),
  ...NOT.flatMap((not) => OBEY.map((obey) => `${not} ${obey}`)),
  ...['pay', 'take', 'give'].flatMap((pay) =>
    ['attention to', 'attention', 'notice of', 'heed to'].map((heed) => `${pay} no ${heed}`),
  ),
]

const INSTRUCTION_NOUNS = [
  ...splitList('instructions, instruction, directions, directives, directive, prompts, prompt, rules'),
  ...splitList('guidelines, commands, orders, guardrails, constraints, restrictions, programming'),
  ...splitList('policies, training, safeguards'),
]
const INSTRUCTION_NOUN = oneOf(INSTRUCTION_NOUNS)
const PRIORS = [
  ...splitList('previous, prior, preceding, earlier, above, former, foregoing, initial, original'),
  ...splitList('existing, past, system, first'),
]
/** A speaker may take back their own words: to ignore “my previous message” is no attack. */
const OWN = ['my', 'our', 'his', 'her']

const GIVE = oneOf(['given', 'told', 'taught', 'asked', 'instructed', 'programmed', 'trained', 'configured', 'fed'])
const YOU_WERE_GIVEN = `you (?:were|have been|had been|are|got|received|have)(?: so far)?(?: ${GIVE})?`
const BEFORE = oneOf(['above', 'before', 'earlier', 'previously', 'so far', 'until now', 'up to now', YOU_WERE_GIVEN])

const VOID = oneOf([
  ...splitList('void, cancelled, canceled, revoked, obsolete, outdated, invalid, superseded, replaced, wrong'),
  ...splitList('lifted, a mistake, no longer valid, no longer apply, no longer applies, do not apply'),
])

export const INSTRUCTION_OVERRIDE: InjectionRule = {
  says: 'The text tells the model to ignore, forget or disobey the instructions that it had before.',
  phrases: phrases(
    phrase(TURN_AWAY, `${gapWithout(4, OWN)} ${oneOf(PRIORS)}${gap(2)} ${INSTRUCTION_NOUN}`),
    phrase(TURN_AWAY, `${gapWithout(4, OWN)} ${INSTRUCTION_NOUN}${gap(3)} ${BEFORE}`),
    phrase(TURN_AWAY, `(?: (?:all|any|the|of|every|each|one)){0,3} your${gap(2)} ${INSTRUCTION_NOUN}`),
    phrase(
      TURN_AWAY,
      '(?: (?:all|any|every|the)){0,2} (?:text|content|contents|words|lines)(?: (?:that|is|was)){0,2} (?:above|before this)',
    ),
    phrase(TURN_AWAY, ` (?:everything|anything|all|what|whatever)(?: (?:of|that|this|which)){0,2} ${YOU_WERE_GIVEN}`),
    phrase(
      TURN_AWAY,
      ' (?:everything|anything|all)(?: (?:of|that|this|the|which|is|was|has|have|been|came|comes|said|written|told)){0,4} (?:above|before|previously|prior|until now|so far)',
    ),
    phrase(TURN_AWAY, ' (?:everything|all of (?:this|that|it)) (?:and|then|now|instead|[.])'),
    phrase(
      TURN_AWAY,
      ` (?:what|whatever|anything) (?:the|your) (?:user|customer|system|operator|developers?|owner)${gap(3)} (?:says|said|asked|asks|wants|wanted|told|tells|wrote)`,
    ),
    phrase(['your', 'previous', 'prior', 'earlier', 'preceding'], `${gap(2)} ${INSTRUCTION_NOUN}${gap(2)} ${VOID}`),
    phrase(
      ['no longer bound by', 'no longer limited by', 'no longer restricted by', 'no longer governed by'],
      `${gap(4)} ${INSTRUCTION_NOUN}`,
    ),
    phrase(
      ['new', 'updated', 'revised', 'real', 'actual', 'true'],
      ' (?:instructions?|directives?|system prompt|orders) :',
    ),
    phrase(
      ['your'],
      ' (?:new|real|actual|true|only) (?:task|job|goal|objective|mission|purpose|instructions?|role) (?:is|are|now|:)',
    ),
    phrase(
      ['from now on', 'from here on', 'henceforth', 'for the rest of'],
      `${gap(14)} (?:ignore|disregard|forget) (?:anything|everything|all|any|whatever)`,
    ),
    phrase(
      ['no later', 'no other', 'no further', 'no future', 'no subsequent'],
      ' (?:messages?|instructions?|rules?|prompts?|orders?)(?: (?:can|may|shall|should|will|to)){0,2} (?:change|override|cancel|replace|undo|alter|revoke)',
    ),
    // Phrases of this attack in German, French and Spanish.
    phrase(
      ['ignoriere', 'ignorier', 'ignorieren', 'vergiss', 'vergesse', 'missachte'],
      `${gap(3)} (?:vorherige|vorige|bisherige|obige|fruhere|vorangegangene)[nr]?${gap(1)} (?:anweisung|anweisungen|instruktionen|befehle|regeln|vorgaben|aufgaben)`,
    ),
    phrase(
      ['ignore', 'ignorez', 'oublie', 'oubliez', 'neglige', 'negligez'],
      `${gap(3)} (?:instructions|consignes|directives|regles|ordres) (?:precedentes?|anterieures?|ci dessus|initiales?|donnees)`,
    ),
    phrase(
      ['ignora', 'ignore', 'olvida', 'olvide', 'omite'],
      `${gap(3)} (?:instrucciones|indicaciones|ordenes|reglas) (?:anteriores|previas|de arriba|iniciales)`,
    ),
  ),
}
