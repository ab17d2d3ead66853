// npm run pdf:validate without Java or veraPDF. Node draws the same bytes as workerd.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { runPdfValidate } from '../../scripts/pdf-validate.ts'
import { SAMPLE_SHA256, sampleDocument } from '../support/pdf/sample-document.ts'

async function validate(...args: string[]) {
  const lines: string[] = []
  const keep = (text: string): void => void lines.push(text)
  return { code: await runPdfValidate(args, { print: keep, report: keep }), said: lines.join('\n') }
}

describe('pdf:validate', () => {
  it('says that it needs Java', async () => {
    const { code, said } = await validate('--java', 'there-is-no-such-java')
    expect(said).toContain('There is no Java.')
    expect(code).toBe(2)
  })

  it('says that it needs veraPDF, and how to get it', async () => {
    const { code, said } = await validate('--java', process.execPath, '--jar', 'there-is-no-such.jar')
    expect(said).toBe("there-is-no-such.jar is not a file. Name veraPDF's jar with --jar.")
    expect(code).toBe(2)
  })

  it('says what it understands', async () => {
    expect((await validate('--help')).said).toContain('--download')
    expect((await validate('--no-such-option')).code).toBe(2)
  })
})

describe('the writer', () => {
  it('writes the same bytes in Node as in workerd', () => {
    expect(createHash('sha256').update(sampleDocument()).digest('hex')).toBe(SAMPLE_SHA256)
  })
})
