// Vite plugin that gives the pages the names of the models that the gateway offers, as GET /v1/models lists them to keys.
import type { Plugin } from 'vite'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'

const ID = 'virtual:model-names'

export const modelNames: Plugin = {
  name: 'model-names',
  resolveId: (id) => (id === ID ? `\0${id}` : null),
  load: (id) =>
    id === `\0${ID}`
      ? `export default ${JSON.stringify(catalogueModels().flatMap((model) => (model.gateway ? [model.id] : [])))}`
      : null,
}
