// Vite plugin that writes the OpenAPI document, which the Worker serves as a file.
import { resolve } from 'node:path'
import { runnerImport, type Plugin } from 'vite'

const MAKER = resolve(import.meta.dirname, '../document/open-api-document.ts')

/** Makes the document from the Worker's code, without a service. */
export async function makeApiDocument(): Promise<object> {
  const { module } = await runnerImport<{ openApiDocument: () => object }>(MAKER)
  return module.openApiDocument()
}

export const apiDocument: Plugin = {
  name: 'api-document',
  async generateBundle() {
    const source = JSON.stringify(await makeApiDocument())
    this.emitFile({ type: 'asset', fileName: 'v1/openapi.json', source })
  },
}
