# 茶，水：好
BREW = 3
