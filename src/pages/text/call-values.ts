// What values of a call may look like in an address, which anybody can write. The service is not asked for others.

const KEY = /^key_[0-9a-f-]{36}$/
const USE_CASE = /^[a-z0-9][a-z0-9._-]{0,63}$/

export const isKeyId = (value: string): boolean => KEY.test(value)
export const isUseCase = (value: string): boolean => USE_CASE.test(value)
export const isModelName = (value: string): boolean => value.length <= 100
