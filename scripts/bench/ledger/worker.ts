// Signs and checks records, and packs and seals details, as often as it is told from outside: a call does many, so that the
// call itself costs little.
import { sealBatches } from './sealing.ts'
import { prepareSignatures } from './signatures.ts'
import { SEALING, SIGNATURE_WORK } from './work.ts'

let signatures: ReturnType<typeof prepareSignatures> | undefined

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url)
    const [wanted, times] = [searchParams.get('work'), Number(searchParams.get('times'))]
    if (wanted === SEALING) return Response.json(await sealBatches(times))
    const signature = SIGNATURE_WORK.find((name) => name === wanted)
    if (signature === undefined) return new Response(null, { status: 404 })
    const once = (await (signatures ??= prepareSignatures()))[signature]
    for (let n = 0; n < times; n++) await once()
    return Response.json({ leaves: 0, bytes: 0 })
  },
} satisfies ExportedHandler
