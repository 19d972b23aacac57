/**
 * Works something out once for each object, and remembers it for as long as there is that object. Only for objects that
 * nobody changes. What `make` throws is not remembered.
 */
export function onceEach<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}
