// The part of the plane that is in sight: [left, right, bottom, top].

const NEAREST = 1e-6; // width of a view, as a part of its coordinates
const EMPTY = [-2, 2, -2, 2];

// A square with room around the points; without a bias the origin is in it, through which every line goes.
export function fitted(points, intercept) {
  if (!points.length) return EMPTY;
  const shown = intercept ? points : [...points, [0, 0]];
  const ends = [0, 1].map((k) => {
    const values = shown.map((point) => point[k]);
    return [Math.min(...values), Math.max(...values)];
  });
  const width = Math.max(...ends.map(([low, high]) => high - low)) || Math.max(...ends.flat().map(Math.abs), 1);
  return ends.flatMap(([low, high]) => [(low + high) / 2 - 0.65 * width, (low + high) / 2 + 0.65 * width]);
}

// The same centre at another scale; the same view where that would be too near, or too far for the limit.
export function zoomed(view, factor, limit) {
  const [left, right, bottom, top] = view;
  const farthest = Math.max(...view.map(Math.abs));
  if (factor * (right - left) < NEAREST * farthest || factor * farthest > limit) return view;
  const around = (low, high) => [(low + high) / 2 - (factor * (high - low)) / 2, (low + high) / 2 + (factor * (high - low)) / 2];
  return [...around(left, right), ...around(bottom, top)];
}
