// Checks that a source file that names a specification has its address too, so that a reader can open it.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*)/.test(line)

it('has the address of every RFC and C2SP format that a comment names', () => {
  const missing = globSync(['src/**/*.{ts,tsx}', 'scripts/verify/*.ts']).flatMap((file) => {
    const comments = readFileSync(file, 'utf8').split('\n').filter(isComment).join('\n')
    const addresses = [
      ...Array.from(comments.matchAll(/\bRFC (\d+)/g), ([, number]) => `https://www.rfc-editor.org/rfc/rfc${number}`),
      ...Array.from(comments.matchAll(/\bc2sp\.org\/[\w-]+/g), ([path]) => `https://${path}`),
    ]
    return addresses.filter((address) => !comments.includes(address)).map((address) => `${file}: ${address}`)
  })
  expect(missing).toEqual([])
})
