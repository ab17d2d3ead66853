// Vite plugin that writes the OpenAPI document, which the Worker serves as a file.
import { resolve } from 'node:path'
import { runnerImport, type Plugin } from 'vite'

const MAKER = resolve(import.meta.dirname, '../document/open-api-document.ts')

export const apiDocument: Plugin = {
  name: 'api-document',
  async generateBundle() {
    const { module } = await runnerImport<{ openApiDocument: () => object }>(MAKER)
    this.emitFile({ type: 'asset', fileName: 'v1/openapi.json', source: JSON.stringify(module.openApiDocument()) })
  },
}
