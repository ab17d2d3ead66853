// Saves what an address answers into a file: a process of its own, so that whoever measures calls beside it is not kept by it.
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const [, , url = '', key = '', file = ''] = process.argv

const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
if (response.status !== 200 || response.body === null) throw new Error(await response.text())
await pipeline(Readable.fromWeb(response.body), createWriteStream(file))
