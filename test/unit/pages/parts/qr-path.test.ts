import { generate } from 'lean-qr'
import { expect, it } from 'vitest'
import { pathOf } from '../../../../src/pages/parts/qr-path.ts'

it('draws the dark modules of a QR code, and no others', () => {
  const code = generate(
    'otpauth://totp/Countersign:somebody%40practice.example?secret=JBSWY3DPEHPK3PXP&issuer=Countersign',
  )
  const drawn = Array.from(pathOf(code).matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g), (run) =>
    run.slice(1).map(Number),
  ).flatMap(([x = 0, y = 0, length = 0]) => Array.from({ length }, (_, at) => `${x + at} ${y}`))
  const places = Array.from(
    { length: code.size ** 2 },
    (_, at) => [at % code.size, Math.floor(at / code.size)] as const,
  )
  expect(drawn).toEqual(places.filter(([x, y]) => code.get(x, y)).map((place) => place.join(' ')))
})
