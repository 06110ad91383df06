# coding: shift_jis
# 設定を読む
x = 1
