// A download is sent as it is made, and others get their turn meanwhile.
import { expect, it } from 'vitest'
import { sendText } from '../../../src/platform/download.ts'

it('lets others run between any two of its texts, however quick its reader is', async () => {
  const texts = Array.from({ length: 20 }, (_, index) => `row ${index}\n`)
  let turns = 0
  const other = setInterval(() => (turns += 1), 0)
  const turnsBefore: number[] = []
  async function* made(): AsyncGenerator<string> {
    for (const text of texts) {
      turnsBefore.push(turns)
      yield text
    }
  }
  const sending = { requestId: 'req_1', organisationId: 'org_1', clock: Date.now, waitUntil: () => undefined }
  const body = await new Response(sendText(made(), sending)).text()
  clearInterval(other)
  expect(body).toBe(texts.join(''))
  expect(new Set(turnsBefore).size).toBeGreaterThan(texts.length / 2)
})
