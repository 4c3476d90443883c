"""Small matrices of floats, always computed in the same order, so no bit depends on a library.

A matrix is a list of rows.
"""

from __future__ import annotations

from math import sqrt

Vector = list[float]
Matrix = list[list[float]]


def zeros(rows: int, columns: int) -> Matrix:
    """Return a matrix of zeros."""
    return [[0.0] * columns for _ in range(rows)]


def centring(size: int) -> Matrix:
    """Return the matrix that subtracts the mean of ``size`` values from each."""
    return [[(i == j) - 1 / size for j in range(size)] for i in range(size)]


def times(left: Matrix, right: Matrix) -> Matrix:
    """Return the product."""
    width = len(right[0])
    found = []
    for row in left:
        total = [0.0] * width
        for factor, other in zip(row, right, strict=True):
            if factor != 0.0:
                for j in range(width):
                    total[j] += factor * other[j]
        found.append(total)
    return found


def apply(matrix: Matrix, vector: Vector) -> Vector:
    """Return the product with a column."""
    found = []
    for row in matrix:
        total = 0.0
        for j in range(len(vector)):
            total += row[j] * vector[j]
        found.append(total)
    return found


def dot(left: Vector, right: Vector) -> float:
    """Return the sum of products."""
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


def transposed(matrix: Matrix) -> Matrix:
    """Return rows as columns."""
    return [list(column) for column in zip(*matrix, strict=True)]


def plus(left: Matrix, right: Matrix, factor: float = 1.0) -> Matrix:
    """Return ``left + factor * right``."""
    return [
        [mine + factor * theirs for mine, theirs in zip(row, other, strict=True)]
        for row, other in zip(left, right, strict=True)
    ]


def solved(matrix: Matrix, right: Vector) -> Vector:
    """Return x with ``matrix x = right``, for a symmetric positive definite matrix.

    Raises ``ValueError`` if it is not positive definite.
    """
    lower = _decomposed(matrix)
    size = len(matrix)
    found = list(right)
    for i in range(size):
        row = lower[i]
        total = found[i]
        for k in range(i):
            total -= row[k] * found[k]
        found[i] = total / row[i]
    for i in range(size - 1, -1, -1):
        row = lower[i]
        value = found[i] = found[i] / row[i]
        for k in range(i):
            found[k] -= row[k] * value
    return found


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a symmetric positive definite matrix.

    Raises ``ValueError`` if it is not positive definite.
    """
    lower = _decomposed(matrix)
    size = len(matrix)
    if size == 1:
        # Heads-up, where it is needed very often: to this comes what follows.
        root = 1 / lower[0][0]
        return [[root * root]]
    # The inverse of the lower triangle, by columns of the result (rows here).
    columns = zeros(size, size)
    for j in range(size):
        column = columns[j]
        column[j] = 1 / lower[j][j]
        for i in range(j + 1, size):
            row = lower[i]
            total = 0.0
            for k in range(j, i):
                total -= row[k] * column[k]
            column[i] = total / row[i]
    found = zeros(size, size)
    for i in range(size):
        for j in range(i, size):
            total = 0.0
            one, two = columns[i], columns[j]
            for k in range(j, size):
                total += one[k] * two[k]
            found[i][j] = found[j][i] = total
    return found


def _decomposed(matrix: Matrix) -> Matrix:
    """Return the lower triangle of Cholesky's decomposition."""
    size = len(matrix)
    lower = zeros(size, size)
    for i in range(size):
        row, given = lower[i], matrix[i]
        for j in range(i):
            other = lower[j]
            total = given[j]
            for k in range(j):
                total -= row[k] * other[k]
            row[j] = total / other[j]
        total = given[i]
        for k in range(i):
            total -= row[k] * row[k]
        if not total > 0:
            raise ValueError("the matrix is not positive definite")
        row[i] = sqrt(total)
    return lower
