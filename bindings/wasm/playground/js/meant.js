// Whom somebody means who writes no crawler's name: a company, a product, or a name with a slip of the finger.

// As many are suggested at once. Our choice.
const MOST = 6;
// A shorter word is the beginning, or nearly the name, of many.
const SHORTEST = 3;
const SHORTEST_SLIP = 5;

const plain = (text) => text.toLowerCase().replace(/[^a-z0-9]/g, "");

/// The tokens of the known crawlers that a name may mean: none if it is a crawler's name itself, a `User-Agent` header,
/// or near to none. The crawlers of a company come in the order of the table, those with a page of their owner first.
export function meantBy(name, known) {
  const word = plain(name);
  if (word.length < SHORTEST || name.includes("/")) return [];
  const documented = known.filter((crawler) => crawler.documented);
  const isIt = ({ token }) => token.toLowerCase() === name.toLowerCase();
  // Lists have companies among the names.
  const isCompany = documented.some(({ owner }) => plain(owner) === word);
  if (documented.some(isIt) || (known.some(isIt) && !isCompany)) return [];
  const spelled = known.filter((crawler) => plain(crawler.token) === word && !isIt(crawler));
  if (spelled.length > 0) return tokens(spelled);
  const owned = documented.filter(({ owner }) => plain(owner).startsWith(word));
  const named = documented.filter(({ token }) => plain(token).startsWith(word));
  const owners = new Set(named.map(({ owner }) => owner));
  const found = [...named, ...owned, ...documented.filter(({ owner }) => owners.has(owner))];
  if (found.length > 0) return tokens(found);
  if (word.length < SHORTEST_SLIP) return [];
  return tokens(documented.filter(({ token }) => isSlip(word, plain(token))));
}

const tokens = (crawlers) => [...new Set(crawlers.map(({ token }) => token))].slice(0, MOST);

// Whether one letter more, less or other makes one word of the other.
function isSlip(one, other) {
  if (Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const [rest, others] = [one.slice(at), other.slice(at)];
  return rest.slice(1) === others.slice(1) || rest.slice(1) === others || rest === others.slice(1);
}
