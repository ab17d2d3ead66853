// The sentence that says where the text of a letter goes, made from the readers and from the places of their routes.
import { namePlaces } from '../../src/providers/data-region.ts'
import { findModel } from '../../src/providers/model-catalogue.ts'
import { providerLabel } from '../../src/providers/provider-registry.ts'

/** @param readers ids of models. Throws if the catalogue has one of them not. */
export function whereLettersGo(readers: readonly string[]): string {
  const places = readers.map((id) => {
    const model = findModel(id)
    if (model === null) throw new Error(`no model is called ${id}`)
    return `${providerLabel(model.provider)}, in ${namePlaces(model.places)}`
  })
  return `To the providers of both readers: ${places.join('; and ')}.`
}
