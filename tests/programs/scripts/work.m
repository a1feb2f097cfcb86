% SPDX-License-Identifier: BSD-3-Clause
% Matrices by BLAS, an interpreted loop, an error, a status.
A = reshape(mod((1:250000) * 7919, 1009), 500, 500);
B = A * A';
printf("%d\n", mod(sum(B(:)), 1e9));
printf("%d\n", sort(A(:))(1000));
s = 0;
for i = 1:200000
  s += mod(i, 7);
end
printf("%d\n", s);
try
  error("as wanted");
catch e
  disp(e.message);
end
exit(2)
