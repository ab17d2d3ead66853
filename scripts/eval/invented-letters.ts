// Invents letters with identifiers and their offsets, for measuring the scan of prompts. The letters also have sentences that only
// look as if they contain an identifier. The scan was not tuned on these letters. Also joins pieces into such a text.
import { ACCOUNTS, type Shape } from '../../src/scanning/identifiers/shapes/index.ts'
import { TOKENS } from '../../src/scanning/identifiers/shapes/service-token.ts'
import { createRandom, type Random } from '../seeded-random.ts'
import { digits } from '../invented-values.ts'
import { SHAPE_SAMPLES } from '../shape-samples.ts'

/** Offsets in code points, like Python's. */
export type Span = { readonly shape: Shape; readonly start: number; readonly end: number }

export type AnnotatedText = { readonly text: string; readonly spans: readonly Span[] }

/** A piece of a text: plain, or a value with its shape. */
export type Piece = string | { readonly shape: Shape; readonly value: string }

export function joinPieces(pieces: readonly Piece[]): AnnotatedText {
  const spans: Span[] = []
  let text = ''
  let length = 0
  for (const piece of pieces) {
    const written = typeof piece === 'string' ? piece : piece.value
    const end = length + Array.from(written).length
    if (typeof piece !== 'string') spans.push({ shape: piece.shape, start: length, end })
    text += written
    length = end
  }
  return { text, spans }
}

const PERSONAL: readonly Shape[] = ['date_of_birth', 'phone_number', 'email_address', 'date']
const IRISH: readonly Shape[] = ['pps_number', 'eircode', 'hospital_record_number']
const BRITISH: readonly Shape[] = ['nhs_number', 'chi_number', 'health_and_care_number', 'uk_postcode']
/** Texts without a value, which only look like one. `9` stands for any digit. */
const NEAR_MISSES: readonly string[] = [
  'BP 142/88, pulse 76, temp 37.2.',
  'A cough of 3/52, and 5/7 of antibiotics.',
  'Pain over T12 since the fall; L4/5 disc.',
  'HbA1c 48 mmol/mol, eGFR 62, ferritin 15.',
  'Insulin 10-8-12 units with meals.',
  'Viral load 1200000 copies/ml.',
  'Platelets 150000, white cells 9.8.',
  'Version 2.14.3 of the form, section 1.2.20.',
  'Recruited to NCT0999999 9 weeks ago.',
  'The bill is EUR 1,250.00 for 3 visits in 2025.',
  'Room 214, floor 2, bed 12, at 12:30.',
  'Order 4111 1111 1111 1112 was refused by the shop.',
  'The account GB82 WEST 1234 5698 7654 33 does not exist.',
  'Server 192.168.10.14 answered after 1700000000 ms.',
  'Commit 9f2c1e7a0b3d5f6a8c9e1d2b3a4f5c6d7e8f9a0b fixed it.',
  'ISBN 978-0-14-044913-6, page 317.',
  'Job 3f2b8c1a-9d4e-4a7b-8c6d-1e5f7a9b0c3d failed twice.',
  'The class sk-fading-circle-loading-spinner-2 is unused.',
  'Follow @clinicnews, or see www.example.ie/visit.',
  'Ward 9, extension 4, ask for Dr Byrne.',
  'A 54 year old, married, 2 children, 10 pack years.',
]

const PROSE: readonly string[] = [
  'Thank you for seeing this pleasant person.',
  'There is no fever and no weight loss.',
  'On examination the chest is clear.',
  'We would be grateful for your opinion.',
  'The family are worried, as you can imagine.',
  'Kind regards, the practice team.',
]

export function inventLetters(count: number, seed: number): AnnotatedText[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => joinPieces(inventLetter(random)))
}

function inventLetter(random: Random): Piece[] {
  const own = random.below(2) === 0 ? IRISH : BRITISH
  const shapes = [
    ...Array.from({ length: 3 }, () => random.choose(PERSONAL)),
    ...Array.from({ length: 2 }, () => random.choose(own)),
    random.choose<{ id: Shape }>(random.below(2) === 0 ? ACCOUNTS : TOKENS).id,
  ]
  const lines = [
    ...shapes.map((shape) => sentenceWith(shape, random)),
    ...Array.from({ length: 4 }, () => [random.choose(NEAR_MISSES).replaceAll(/\b9\b/g, () => digits(random, 1))]),
    ...Array.from({ length: 3 }, () => [random.choose(PROSE)]),
  ]
  return random.shuffle(lines).flatMap((line) => line.concat('\n'))
}

function sentenceWith(shape: Shape, random: Random): Piece[] {
  const { sentences, invent } = SHAPE_SAMPLES[shape]
  const [before = '', after = ''] = random.choose<string>(sentences).split('#')
  return [before, { shape, value: invent(random) }, after]
}
