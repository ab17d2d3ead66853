// Vite plugin that writes the files that the Worker reads: the OpenAPI documents, the example letters and the fonts of reports;
// and the collection for Bruno and Postman, the programs for readers of the documents, and the licences.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { runnerImport, type Plugin } from 'vite'
import type { ApiDocument } from '../../src/pages/reference/openapi-document.ts'
import { COLLECTION_PATH, postmanCollection } from '../document/postman-collection.ts'
import { referralDocumentOf } from '../document/referral-document.ts'
import { FONT_PROGRAMS } from '../pdf/font-programs.ts'
import { FACE_NAMES, PROGRAM_PATHS } from '../../src/reports/pdf/fonts/typeface.ts'

const PROGRAMS = 'scripts/examples'

/** The addresses of programs that readers of the documents save and run. */
export const PROGRAM_ADDRESSES: readonly string[] = readdirSync(PROGRAMS).map((name) => `/examples/${name}`)

const MAKER = resolve(import.meta.dirname, '../document/open-api-document.ts')

/** Makes the document from the Worker's code, without a service. */
export async function makeApiDocument(): Promise<ApiDocument> {
  const { module } = await runnerImport<{ openApiDocument: () => ApiDocument }>(MAKER)
  return module.openApiDocument()
}

/** Returns the plugin. @param apiDocument the OpenAPI document of this build */
export const workerFiles = (apiDocument: ApiDocument): Plugin => ({
  name: 'worker-files',
  generateBundle() {
    const write = (path: string, source: string | Uint8Array): void => {
      this.emitFile({ type: 'asset', fileName: path.slice(1), source })
    }
    write('/v1/openapi.json', JSON.stringify(apiDocument))
    const referral = referralDocumentOf(apiDocument)
    write('/v1/referral/openapi.json', JSON.stringify(referral))
    write(COLLECTION_PATH, JSON.stringify(postmanCollection(referral), null, 2))
    for (const path of PROGRAM_ADDRESSES) write(path, readFileSync(path.replace('/examples', PROGRAMS), 'utf8'))
    write('/examples.json', readFileSync('data/examples.json', 'utf8'))
    for (const name of FACE_NAMES) write(PROGRAM_PATHS[name], FONT_PROGRAMS[name])
    // The licence goes with every copy of the fonts.
    write('/fonts/OFL.txt', readFileSync('src/pages/style/fonts/OFL.txt', 'utf8'))
    write('/licence.txt', readFileSync('LICENSE', 'utf8'))
  },
})
