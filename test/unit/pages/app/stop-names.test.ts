import { describe, expect, it } from 'vitest'
import { reasonName } from '../../../../src/pages/app/policies/stop-names.ts'

describe('a reason in words', () => {
  it('names the shapes that were found as people write them', () => {
    expect(reasonName('found: pps_number')).toBe('PPS number found')
    expect(reasonName('found: email_address, iban')).toBe('E-mail address and IBAN found')
  })

  it('says of a model that it is not allowed, and takes the words of a reason that it does not know', () => {
    expect(reasonName('model_not_in_policy')).toBe('Model not allowed')
    expect(reasonName('approval_required')).toBe('Approval required')
    expect(reasonName('found: role_change')).toBe('Role change found')
  })
})
